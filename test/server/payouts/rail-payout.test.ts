import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayoutLab, startPayoutLab } from './payout-lab.ts';

let lab: PayoutLab;
beforeAll(async () => {
  lab = await startPayoutLab();
  await lab.fund(10_000_00, 'USD');
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** A payout to an operator of test mode. The last digits of the number decide the outcome. */
const phone = (number: string, more = {}) => ({
  amount: 2_500,
  currency: 'USD',
  ...more,
  destination: { type: 'mobile_money', provider: 'mtn', number },
});

const available = async () => (await lab.balance())['available USD'] ?? 0;

describe('payouts by mobile money', () => {
  it('arrive, and the operator’s number is their trace', async () => {
    const before = await available();
    const batch = await lab.pay([phone('+233241234567'), phone('+233241234568')]);
    expect(await lab.ended(batch.id)).toMatchObject({ status: 'completed' });
    for (const payout of await lab.payoutsOf(batch.id)) {
      expect(payout).toMatchObject({
        status: 'completed',
        trace: { rail: 'mtn', provider_reference: expect.any(String) },
      });
      const events = await lab.eventsOf(payout.id);
      expect(events.slice(0, 2)).toEqual(['payout.created', 'payout.processing']);
      expect(events.at(-1)).toBe('payout.completed');
    }
    expect(before - (await available())).toBe(5_000);
  });

  it('that the operator refuses release the money, and can be tried again', async () => {
    const before = await available();
    const batch = await lab.pay([phone('+233241230089')]);
    expect(await lab.ended(batch.id)).toMatchObject({ status: 'failed', counts: { failed: 1 } });
    const [payout] = await lab.payoutsOf(batch.id);
    expect(payout).toMatchObject({ status: 'failed', failure: { code: 'recipient_not_found' } });
    expect(await available()).toBe(before);
    expect((await lab.request(`POST /v1/payouts/${payout?.id}/retry`)).body).toMatchObject({
      status: 'queued',
      attempt: 2,
    });
    await lab.ended(batch.id);
    expect(await available()).toBe(before);
  });

  it.each(['complete', 'fail'] as const)('in test mode are ended by hand: %s', async action => {
    const before = await available();
    const batch = await lab.pay([phone('+233241230129')]);
    await lab.until('the operator has it', async () => (await lab.payoutsOf(batch.id))[0]?.status === 'sent');
    const [payout] = await lab.payoutsOf(batch.id);
    const { body } = await lab.request(`POST /v1/test_helpers/payouts/${payout?.id}/${action}`);
    expect(body.status).toBe(action === 'complete' ? 'completed' : 'failed');
    expect(before - (await available())).toBe(action === 'complete' ? 2_500 : 0);
  });

  it('that are returned increase the balance again', async () => {
    const before = await available();
    const batch = await lab.pay([phone('+233241234569')]);
    await lab.ended(batch.id);
    const [payout] = await lab.payoutsOf(batch.id);
    const path = `POST /v1/test_helpers/payouts/${payout?.id}/return` as const;
    expect((await lab.request(path)).body).toMatchObject({ status: 'returned', failure: { code: 'account_closed' } });
    expect((await lab.request(path)).status).toBe(409);
    expect(await available()).toBe(before);
    expect((await lab.eventsOf(payout?.id ?? '')).at(-1)).toBe('payout.returned');
  });
});

describe('money that a rail gives back', () => {
  /** A completed payout; `listed` adds a return of its order to the rail's list. */
  async function completed(more = {}) {
    const batch = await lab.pay([phone('+233241234571', more)]);
    await lab.ended(batch.id);
    const [payout] = await lab.payoutsOf(batch.id);
    const { rows } = await lab.database.pool.query(
      'select merchant_id, id from outbound_transfers where resource_id = $1 order by attempt',
      [payout?.id],
    );
    const listed = (amount: number, id = rows[0].id) =>
      lab.database.pool.query(
        `insert into payout_returns (merchant_id, id, rail, order_id, amount, code, message, created_at)
         values ($1, 'pret_' || gen_random_uuid(), 'mtn', $2, $3, 'account_closed', 'Closed.', now())`,
        [rows[0].merchant_id, id, amount],
      );
    return { id: payout?.id ?? '', listed, read: async () => (await lab.payoutsOf(batch.id))[0] };
  }

  it('returns the payout and the money', async () => {
    const before = await available();
    const batch = await lab.pay([phone('+233241230139')]);
    await lab.until('it came back', async () => (await lab.payoutsOf(batch.id))[0]?.status === 'returned');
    expect(await available()).toBe(before);
  });

  it('in parts is credited part by part, and never more than was paid', async () => {
    const { listed, read } = await completed();
    const before = await available();
    for (const amount of [1_000, 1_000, 1_000]) await listed(amount);
    await lab.until('all parts are booked', async () => (await available()) === before + 2_500);
    expect((await read())?.status).toBe('returned');
  });

  it('is booked, although a part of another payout is worth less than the smallest unit of the balance', async () => {
    const shillings = { amount: 100_000, currency: 'UGX', source_currency: 'USD' };
    const [tiny, whole] = [await completed(shillings), await completed()];
    const { pool } = lab.database;
    await Promise.all([tiny.listed(1), whole.listed(2_500)]);
    await lab.until('the other is booked', async () => (await whole.read())?.status === 'returned');
    await lab.until('the part is booked', async () => {
      const { rows } = await pool.query('select 1 from payout_returns where not booked');
      return rows.length === 0;
    });
    expect(await tiny.read()).toMatchObject({ status: 'completed', failure: null, returned: { amount: 0 } });
    await tiny.listed(99_999);
    await lab.until('the rest is back', async () => (await tiny.read())?.status === 'returned');
    const payout = await tiny.read();
    expect(payout).toMatchObject({ returned: { amount: payout?.fx?.source_amount, currency: 'USD' } });
  });

  it('is booked by the clock of the payout’s own mode', async () => {
    const [live, test] = [await completed(), await completed()];
    const { pool } = lab.database;
    const days = 86_400_000;
    await pool.query('update payouts set livemode = true where id = $1', [live.id]);
    await pool.query('update outbound_transfers set livemode = true where resource_id = $1', [live.id]);
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'P3D' } });
    await Promise.all([live.listed(2_500), test.listed(2_500)]);
    const booked = async () => {
      const query = `select resource_id, created_at from ledger_transactions
        where kind = 'payout_returned' and resource_id = any ($1)`;
      const { rows } = await pool.query(query, [[live.id, test.id]]);
      return new Map<string, Date>(rows.map(row => [row.resource_id, row.created_at]));
    };
    await lab.until('both are booked', async () => (await booked()).size === 2);
    const times = await booked();
    const ahead = Number(times.get(test.id)) - Number(times.get(live.id));
    expect(Math.round(ahead / days)).toBe(3);
  });

  it('for an order that the service does not know changes nothing', async () => {
    const { listed, read } = await completed();
    const before = await available();
    await listed(2_500, 'ot_unknown');
    await lab.sweep('payouts.returns');
    expect(await available()).toBe(before);
    expect((await read())?.status).toBe('completed');
  });
});

describe('a payout with a conversion', () => {
  it('debits at most the accepted amount and releases the rest', async () => {
    await lab.fund(100_000, 'EUR');
    const eur = async () => (await lab.balance())['available EUR'] ?? 0;
    const before = await eur();
    const batch = await lab.pay([phone('+233241234570', { source_currency: 'EUR' })]);
    await lab.ended(batch.id);
    // The payout may end before the balance is read, so its entry says what was debited.
    const { data } = (await lab.request('GET /v1/balance/entries?limit=50')).body;
    const debited = { kind: 'payouts_reserved', currency: 'EUR', amount: -(batch.totals[0]?.amount ?? 0) };
    expect(data).toContainEqual(expect.objectContaining(debited));
    const [payout] = await lab.payoutsOf(batch.id);
    expect(payout?.fx).toMatchObject({ source_currency: 'EUR', currency: 'USD', amount: '25.00' });
    expect(before - (await eur())).toBe(payout?.fx?.source_amount);
    expect(payout?.fx?.source_amount).toBeLessThan(batch.totals[0]?.amount ?? 0);
  });
});
