import type { Way } from '../server/shop-orders.ts';

/** An integration, as the demo explains it. */
export interface WayStory {
  readonly way: Way;
  readonly name: string;
  readonly line: string;
  readonly when: string;
  /** The shop's code for the integration. */
  readonly code: string;
}

export const wayStories: readonly WayStory[] = [
  {
    way: 'script-tag',
    name: 'Script tag',
    line: 'One tag on the page, no server.',
    when: 'The page creates the payment with its publishable key. The amount comes from the page, so the shop compares it with its own when it hears that it was paid.',
    code: `<script src="https://pay.example/pay-checkout.js"></script>
<script>
  PayCheckout.mount('#pay', {
    apiKey: 'pk_test_…',
    amount: 12840,
    currency: 'EUR',
    settlementAsset: 'USDC',
    metadata: { order: 'N-7F3K2QA' },
    onSuccess: payment => location.assign('/thanks'),
  });
</script>`,
  },
  {
    way: 'proxy',
    name: 'Element and proxy',
    line: 'The shop’s server keeps the key and the prices.',
    when: 'The page says which order it is for. The shop’s server looks up what that costs and creates the payment; no key and no price is ever in the browser.',
    code: `// the page
import 'pay-checkout/define';
<pay-checkout proxy-url="/api/pay"></pay-checkout>

// the shop's server
const proxy = createPayProxy({
  baseUrl: 'https://pay.example',
  secretKey: process.env.PAY_SECRET_KEY,
  basePath: '/api/pay',
  authorize: request => isSignedIn(request),
  price: async request => {
    const { metadata } = await request.json();
    return paymentFor(await orders.find(metadata.order));
  },
});
createServer(proxy).listen(3000);`,
  },
  {
    way: 'redirect',
    name: 'Hosted page',
    line: 'The payer pays on the service’s own page.',
    when: 'The shop’s server creates the payment and sends the payer to its address. Afterwards the payer comes back, and the shop asks the service what became of it.',
    code: `const payment = await pay.payments.create({
  amount: 12840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
  customer: { email },
  redirect_url: 'https://shop.example/order',
});
response.redirect(payment.checkout_url);`,
  },
];

export function wayUrl(way: string): string {
  return `/demo/${way}`;
}
