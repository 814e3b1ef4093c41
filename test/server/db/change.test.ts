import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { createRows } from '../../../src/server/platform/events/change.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let lab: TestApp;
beforeAll(async () => {
  lab = await startTestApp();
});
afterAll(() => lab.close());

function newLink(reference: string) {
  return {
    merchant_id: lab.merchant.id,
    id: newId('paymentLink'),
    livemode: false,
    status: 'active',
    reference,
    amount: 1_000n,
    currency: 'EUR',
    line_items: null,
    metadata: { order: reference },
    allow_partial: false,
    payment_methods: ['card'],
    settlement_asset: 'EUR',
    event_sequence: 1,
    created_by_key: '',
    created_at: lab.clock.now(),
  };
}

type NewLink = ReturnType<typeof newLink>;

const kind = { table: 'payment_links' as const, toWire: (by: string, { id }: NewLink) => ({ id, by }) };

const create = (rows: readonly NewLink[]) =>
  lab.database.db.transaction().execute(tx => createRows(tx, kind, 'a test', 'payment_link.created', rows));

async function eventsOf({ id }: NewLink): Promise<object[]> {
  return (await lab.request(`GET /v1/events?resource=${id}` as 'GET /')).body.data;
}

describe('new rows', () => {
  it('are written with one event each, ten thousand at once', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => newLink(`order ${index}`));
    await create(rows);
    for (const row of [rows[0], rows[5_000], rows[9_999]] as NewLink[]) {
      const { body } = await lab.request(`GET /v1/payment-links/${row.id}` as 'GET /');
      expect(body).toMatchObject({ id: row.id, reference: row.reference, metadata: row.metadata, amount: 1_000 });
      const data = { object: { id: row.id, by: 'a test' }, previous: null };
      expect(await eventsOf(row)).toMatchObject([{ type: 'payment_link.created', sequence: 1, data }]);
    }
  });

  it('are written together with their events or not at all', async () => {
    const [fresh, twin] = [newLink('fresh'), newLink('twin')];
    await create([twin]);
    await expect(create([fresh, twin])).rejects.toMatchObject({ code: '23505' });
    expect((await lab.request(`GET /v1/payment-links/${fresh.id}` as 'GET /')).status).toBe(404);
    expect([await eventsOf(fresh), await eventsOf(twin)]).toMatchObject([[], [{}]]);
  });

  it('count their first event', async () => {
    const link = newLink('counted');
    await create([link]);
    const changed = await lab.request(`PATCH /v1/payment-links/${link.id}` as 'PATCH /', {
      body: { status: 'disabled' },
    });
    expect(changed.status, changed.text).toBe(200);
    const sequences = (await eventsOf(link)).map(event => (event as { sequence: number }).sequence);
    expect(sequences.toSorted()).toEqual([1, 2]);
  });
});
