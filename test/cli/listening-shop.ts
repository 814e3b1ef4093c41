import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { verifyWebhook, type WebhookEvent } from '../../src/webhooks/index.ts';
import type { Running } from './cli-lab.ts';

/** A shop on this machine. It keeps the deliveries that `secret` verifies, and answers with `status`. */
export async function startShop(status = 200) {
  const shop = { secret: '', events: [] as WebhookEvent[], problems: [] as unknown[] };
  const receive = async (request: IncomingMessage) => {
    const payload = await text(request);
    shop.events.push(verifyWebhook({ payload, headers: request.headers, secret: shop.secret }));
  };
  const http = createServer((request, response) => {
    receive(request)
      .catch(error => shop.problems.push(error))
      .finally(() => response.writeHead(status).end());
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const { port } = http.address() as AddressInfo;
  return Object.assign(shop, { address: `localhost:${port}/hooks`, close: () => http.close() });
}

/** The events' ids, oldest first. Deliveries run side by side, so a later event may arrive first. */
export function idsByTime(events: readonly WebhookEvent[]): string[] {
  return events.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)).map(({ id }) => id);
}

/** Waits for the first line, which names the secret. */
export async function secretOf(listener: Running): Promise<string> {
  await expect.poll(() => listener.stdout(), { timeout: 20_000 }).toMatch(/whsec_\S+/);
  return /whsec_[^\s"]+/.exec(listener.stdout())?.[0] ?? '';
}
