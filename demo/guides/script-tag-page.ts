/**
 * A page that takes a payment with only a script tag and the publishable key.
 *
 *     PAY_URL=http://localhost:4242 PAY_PUBLISHABLE_KEY=pk_test_… node demo/guides/script-tag-page.ts
 *
 * List the page's origin (`http://localhost:3002`) under `allowed_origins` of the account first.
 */
import { createServer, type Server } from 'node:http';

/** The page. A visitor can change the page's amount, so your server must compare the paid amount with the order. */
export function scriptTagPage(serviceUrl: string, publishableKey: string): string {
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Pay</title>
  <script src="${serviceUrl}/pay-checkout.js"></script>
  <pay-checkout
    api-key="${publishableKey}"
    amount="4200"
    currency="EUR"
    settlement-asset="USDC"
    payment-methods="card,bank_transfer,crypto,mobile_money"
    customer-email="ada@example.com"
  ></pay-checkout>
  <p id="said">Not paid yet.</p>
  <script>
    document.querySelector('pay-checkout').onSuccess = payment => {
      document.querySelector('#said').textContent = 'Paid: ' + payment.id;
    };
  </script>
</html>`;
}

export function createPageServer(serviceUrl: string, publishableKey: string): Server {
  return createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(scriptTagPage(serviceUrl, publishableKey));
  });
}

if (import.meta.main) {
  const server = createPageServer(
    process.env['PAY_URL'] ?? 'http://localhost:4242',
    process.env['PAY_PUBLISHABLE_KEY'] ?? '',
  );
  server.listen(3002, () => console.log('the page is at http://localhost:3002'));
}
