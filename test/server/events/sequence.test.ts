import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiVersion } from '../../../src/api/event.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createSink, type Sink, verified } from './webhook-lab.ts';

let app: TestApp;
let sink: Sink;

beforeAll(async () => {
  app = await startTestApp({ clock: systemClock, settings: { PAY_WEBHOOK_ALLOW_LOOPBACK: '1' } });
  sink = await createSink();
});
afterAll(async () => {
  await sink.close();
  await app.close();
});

const order = {
  amount: 5000,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com' },
};

async function pay(): Promise<string> {
  const { body: payment } = await app.request('POST /v1/payments', { body: order });
  return payment.id;
}

const confirm = (id: string, body: object) => app.request(`POST /v1/payments/${id}/confirm`, { body });

it('events of one object at the same time are listed by their sequence, in pages of every size', async () => {
  const resource = newId('payment');
  const made = [1, 2, 3, 4, 5, 6].map(sequence => ({ sequence, id: newId('event') }));
  const at = new Date();
  for (const row of made) {
    await app.database.pool.query(
      `insert into events (merchant_id, livemode, id, type, resource_id, sequence, object, api_version, created_at)
       values ($1, false, $2, 'payment.completed', $3, $4, '{}', $5, $6)`,
      [app.merchant.id, row.id, resource, row.sequence, apiVersion, at],
    );
  }
  for (const limit of [1, 2, 4, 100]) {
    const seen: number[] = [];
    for (let after = ''; ; ) {
      const { body } = await app.request(`GET /v1/events?resource=${resource}&limit=${limit}${after}`);
      seen.push(...body.data.map((event: { sequence: number }) => event.sequence));
      if (!body.has_more) break;
      after = `&starting_after=${body.data.at(-1).id}`;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1]);
  }
  const newer = await app.request(`GET /v1/events?resource=${resource}&limit=2&ending_before=${made[1]?.id}`);
  expect(newer.body.data.map((event: { sequence: number }) => event.sequence)).toEqual([4, 3]);
});

it('every status change is delivered once, with consecutive sequence numbers, to the subscribed endpoint', async () => {
  const { body: endpoint } = await app.request('POST /v1/webhook-endpoints', {
    body: { url: `${sink.url}/all`, events: ['*'] },
  });
  const [card, declined, bank, canceled] = [await pay(), await pay(), await pay(), await pay()];
  await confirm(card, { method: 'card', token: 'tok_visa' });
  await app.request(`POST /v1/payments/${card}/refunds`, { body: { amount: 2000 } });
  await app.request(`POST /v1/payments/${card}/refunds`, { body: {} });
  for (let i = 0; i < 10; i++) await confirm(declined, { method: 'card', token: 'tok_declined' });
  const { body: instructed } = await confirm(bank, { method: 'bank_transfer', rail: 'sepa' });
  const { reference } = instructed.next_action;
  for (const amount of [2000, 3000]) {
    const transfer = { reference, amount, currency: 'EUR' };
    expect((await app.request('POST /v1/test_helpers/bank_transfers', { body: transfer })).status).toBe(201);
  }
  await app.request(`POST /v1/payments/${canceled}/cancel`, { body: {} });
  await app.sweep();
  const received = sink.at('/all').map(request => verified(request, endpoint.secret)) as unknown as {
    id: string;
    type: string;
    sequence: number;
    data: { object: { id: string } };
  }[];
  const of = (id: string) =>
    received.filter(event => event.data.object.id === id).sort((a, b) => a.sequence - b.sequence);
  const story = (id: string) => of(id).map(event => `${event.sequence} ${event.type}`);
  expect(story(card)).toEqual(['1 payment.created', '2 payment.completed', '3 payment.refunded']);
  expect(story(declined)).toEqual(['1 payment.created', '2 payment.failed']);
  expect(story(bank)).toEqual(['1 payment.created', '2 payment.partially_paid', '3 payment.completed']);
  expect(story(canceled)).toEqual(['1 payment.created', '2 payment.failed']);
  expect(new Set(received.map(event => event.id)).size).toBe(received.length);
  const { rows: audit } = await app.database.pool.query(`
    select (select count(*)::int from audit_events e where not exists (
        select from audit_deliveries d where d.event_id = e.id and d.status = 'delivered')) as undelivered,
      (select count(*)::int from audit_transitions t where t.event_id is not null and not exists (
        select from audit_events e where e.id = t.event_id)) as untold,
      (select count(*)::int from (select resource_id from audit_events group by 1
        having count(*) <> max(sequence) or count(distinct sequence) <> count(*)) gaps) as gaps`);
  expect(audit).toEqual([{ undelivered: 0, untold: 0, gaps: 0 }]);
});
