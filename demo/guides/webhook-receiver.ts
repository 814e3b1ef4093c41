/**
 * A server that receives webhooks. It verifies each signature, handles each event once, and answers immediately.
 *
 *     PAY_WEBHOOK_SECRET=whsec_… node demo/guides/webhook-receiver.ts
 *
 * In your own project the import is `pay-checkout/webhooks`.
 */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../../src/webhooks/index.ts';

/**
 * Calls `handle` once for each event, also when two deliveries arrive at the same time. After `handle` throws, the
 * service delivers the event again. `secrets` holds the endpoint's secret; during a rotation, the old and the new one.
 */
export function createWebhookReceiver(
  secrets: readonly string[],
  handle: (event: WebhookEvent) => Promise<void>,
): Server {
  // A real shop stores these ids in its database, in the same transaction as its other changes.
  const handled = new Map<string, Promise<void>>();

  function handleOnce(event: WebhookEvent): Promise<void> {
    const known = handled.get(event.id);
    if (known) return known;
    const handling = handle(event);
    handled.set(event.id, handling);
    // After a failure, the next delivery calls `handle` again.
    handling.catch(() => handled.delete(event.id));
    return handling;
  }

  return createServer(async (request, response) => {
    try {
      // The signature covers the raw bytes: verify first, parse later.
      const event = verifyWebhook({ payload: await text(request), headers: request.headers, secret: secrets });
      await handleOnce(event);
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  });
}

/** Ships a paid order. Compares the amounts, because a small payment must not ship a large order. */
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
