/**
 * A shop's server that takes payments behind a proxy. It holds the key and the prices; the page holds no key.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/proxy-server.ts
 *
 * In your own project the import is `pay-checkout/proxy`.
 */
import { createServer, type Server } from 'node:http';
import { createPayProxy } from '../../src/proxy/index.ts';

/** Prices in cents. */
const prices = new Map([
  ['mug', 1720],
  ['blanket', 14900],
]);

/** The shop's server. Its page shows `<pay-checkout proxy-url="/pay">`, with the basket in the element's `metadata`. */
export function createProxyServer(baseUrl: string, secretKey: string): Server {
  const proxy = createPayProxy({
    baseUrl,
    secretKey,
    basePath: '/pay',

    // `true` allows creating and paying payments. The proxy still refuses refunds, links and payouts.
    authorize: (request, operation) => request.headers.has('cookie') || operation !== 'payments.create',

    // The browser names the product, and the server sets the amount.
    price: async request => {
      const { metadata, customer } = await request.json();
      const amount = prices.get(metadata?.product);
      if (amount === undefined) return Response.json({ error: 'We do not sell that.' }, { status: 404 });
      return {
        amount,
        currency: 'EUR',
        settlement_asset: 'USDC',
        settlement_network: 'stellar',
        payment_methods: ['card', 'bank_transfer'],
        customer,
        metadata: { product: metadata.product },
      };
    },
  });

  // With Express: app.use('/pay', proxy)
  return createServer((request, response) => {
    if (request.url?.startsWith('/pay/')) proxy(request, response);
    else response.writeHead(404).end();
  });
}

if (import.meta.main) {
  const server = createProxyServer(
    process.env['PAY_URL'] ?? 'http://localhost:4242',
    process.env['PAY_SECRET_KEY'] ?? '',
  );
  server.listen(3000, () => console.log('the shop listens on http://localhost:3000'));
}
