/**
 * A server that hears of payments: it checks each delivery's signature, handles each event once, and answers at once.
 *
 *     PAY_WEBHOOK_SECRET=whsec_… node demo/guides/webhook-receiver.ts
 *
 * In a project of your own the import reads `pay-checkout/webhooks`.
 */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../../src/webhooks/index.ts';

/**
 * The receiver. `handle` is called once for each event; an event comes again when it throws. `secrets` holds the
 * endpoint's secret, and beside it the new one while you change it.
 */
export function createWebhookReceiver(
  secrets: readonly string[],
  handle: (event: WebhookEvent) => Promise<void>,
): Server {
  // A real shop keeps these in its database, in the same transaction as what it does about the event.
  const handled = new Set<string>();

  return createServer(async (request, response) => {
    try {
      // The signature is over the bytes as they came: verify first, parse later.
      const event = verifyWebhook({ payload: await text(request), headers: request.headers, secret: secrets });
      if (!handled.has(event.id)) await handle(event);
      handled.add(event.id);
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  });
}

/** Ships an order that is paid. The amount is compared with the order's: a small payment must not ship a large order. */
export async function shipWhenPaid(event: WebhookEvent, amountOf: (order: string) => number | undefined) {
  if (event.type !== 'payment.completed') return null;
  const { amount, currency, metadata } = event.data.object;
  const order = String(metadata?.['order'] ?? '');
  return currency === 'EUR' && amount === amountOf(order) ? order : null;
}

if (import.meta.main) {
  const receiver = createWebhookReceiver([process.env['PAY_WEBHOOK_SECRET'] ?? ''], async event => {
    console.log(`${event.type} ${event.data.object.id}`);
  });
  receiver.listen(3001, () => console.log('webhooks are taken at http://localhost:3001'));
}
