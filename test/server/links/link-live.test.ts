import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readServerSentEvents } from '../../../src/api/client/server-sent-events.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listen } from '../../support/app.ts';
import { type LinkLab, startLinkLab } from './link-lab.ts';

interface LinkEvent {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: { readonly id: string; readonly opens: number; readonly status: string } };
}

let lab: LinkLab;
const closing = new AbortController();
const received: LinkEvent[] = [];
beforeAll(async () => {
  lab = await startLinkLab({ clock: systemClock, sweeping: true });
  const port = await listen(lab);
  const { status, body } = await fetch(`http://127.0.0.1:${port}/v1/events/stream`, {
    headers: { authorization: `Bearer ${lab.merchant.secretKey}` },
    signal: closing.signal,
  });
  expect(status).toBe(200);
  void (async () => {
    for await (const { data } of readServerSentEvents(body as ReadableStream<Uint8Array>))
      received.push(JSON.parse(data));
  })().catch(() => undefined);
});
afterAll(async () => {
  closing.abort();
  await lab?.close();
});

/** The events of the link, sorted, because the events of one transaction arrive in any order. */
const eventsOf = (id: string) =>
  received.filter(({ data }) => data.object.id === id).toSorted((a, b) => a.sequence - b.sequence);
const hears = (id: string, types: readonly string[]) =>
  vi.waitFor(() => expect(eventsOf(id).map(({ type }) => type)).toEqual(types.map(type => `payment_link.${type}`)), {
    timeout: 8_000,
  });

it('the live stream reports that a link was created, visited, paid and completed, as it happens', async () => {
  const { id } = await lab.link({ single_use: true });
  await hears(id, ['created']);
  await lab.look(id);
  await hears(id, ['created', 'opened']);
  await lab.pay(id);
  await hears(id, ['created', 'opened', 'paid', 'completed']);
  expect(eventsOf(id).map(({ data: { object } }) => [object.opens, object.status])).toEqual([
    [0, 'active'],
    [1, 'active'],
    [1, 'completed'],
    [1, 'completed'],
  ]);
});

it('the live stream reports that a link has expired, when its time ends', async () => {
  const { id } = await lab.link({ expires_at: new Date(Date.now() + 1_500).toISOString() });
  await hears(id, ['created', 'expired']);
});
