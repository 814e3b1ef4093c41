import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { newId } from '../../../src/core/id.ts';
import { accountOf, type FiatLab, startFiatLab } from './fiat-lab.ts';

let lab: FiatLab;
beforeAll(async () => {
  lab = await startFiatLab({ asset: 'EUR', destination: accountOf('Ada Lovelace'), batch: 'daily', hour: 17 });
  // A Monday, 08:00 in the account's time zone (UTC).
  const { now } = (await lab.request('GET /v1/test_helpers/clock')).body;
  const monday = new Date(now);
  monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7 || 7));
  monday.setUTCHours(8, 0, 0, 0);
  const seconds = Math.round((monday.getTime() - Date.parse(now)) / 1000);
  await lab.pass(`PT${seconds}S`);
});
afterEach(() => lab.expectSoundBooks());
afterAll(() => lab.close());

const wallet = { type: 'mobile_money', provider: 'mtn', number: '+233241234567' };
const cedis = { currency: 'GHS', settlement_asset: 'GHS' };

const cents = (text: string | null) => Math.round(Number(text) * 100);
const payouts = async () => (await lab.request('GET /v1/payouts?limit=100')).body.data;
const weekdayOf = (moment: string | null) => new Date(moment ?? '').getUTCDay();

/** The cardholder disputes the payment, and wins or loses at once. */
const dispute = async (payment: string) => {
  const answer = await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment } });
  expect(answer.status, answer.text).toBeLessThan(300);
};

describe('a week of daily settlement', { timeout: 120_000 }, () => {
  it('pays dollars by card out in euros, with a refund, a dispute and a returned payout, to the cent', async () => {
    // Monday: three payments, one payout at 17:00.
    const monday: Payment[] = [];
    for (const amount of [10_001, 20_003, 33_333]) monday.push(await lab.paid(amount, { currency: 'USD' }));
    await lab.arrive();
    const open = await lab.newest();
    const gross = monday.reduce((sum, { quote }) => sum + cents(quote.settlement_amount), 0);
    expect(open).toMatchObject({ status: 'open', batch: 'daily', gross, payments: 3, payout: null });
    expect(new Date(open.scheduled_at ?? '').getUTCHours()).toBe(17);
    expect(await payouts()).toEqual([]);
    expect(await lab.balance()).toEqual({ 'reserved EUR': gross });
    // A change that waits for a second person does not move the money.
    const change = (destination: object) => lab.request('PATCH /v1/account', { body: { settlement: { destination } } });
    expect((await change(accountOf('Mallory'))).body.settlement.destination_change).toBeDefined();
    await lab.pass('PT10H');
    await change(accountOf('Ada Lovelace'));
    expect(await lab.newest()).toMatchObject({ destination: accountOf('Ada Lovelace') });
    expect(await lab.newest()).toMatchObject({ id: open.id, status: 'paid', amount: gross, scheduled_at: null });
    expect(await payouts()).toMatchObject([{ amount: gross, status: 'completed', settlement: open.id }]);
    // Tuesday: a refund of Monday's payment, and a dispute of another one, before the close.
    await lab.pass('PT14H');
    await lab.refund(monday[0]?.id ?? '', { amount: 5_000 });
    await dispute(monday[1]?.id ?? '');
    const tuesday = await lab.paid(40_000, { currency: 'USD' });
    await lab.pass('PT12H');
    const second = await lab.newest();
    const back = async (at: number) =>
      cents(monday[at]?.quote.settlement_amount ?? null) -
      cents((await lab.read(monday[at]?.id ?? '')).settlement.amount);
    expect(second).toMatchObject({ gross: cents(tuesday.quote.settlement_amount), payments: 1, status: 'paid' });
    expect(second.deducted).toBe((await back(0)) + (await back(1)));
    expect(await back(1)).toBe(cents(monday[1]?.quote.settlement_amount ?? null));
    // Wednesday: the bank returns the payout. Nothing is sent again until a person does.
    await lab.settleTo({ destination: accountOf('Returned Later') });
    await lab.pass('PT12H');
    const wednesday = await lab.paid(7_777, { currency: 'USD' });
    await lab.pass('PT12H');
    const third = await lab.newest();
    expect(third).toMatchObject({ status: 'returned', gross: cents(wednesday.quote.settlement_amount) });
    expect((await lab.balance())['available EUR']).toBe(third.amount);
    await lab.settleTo({ destination: accountOf('Ada Lovelace') });
    await lab.pass('P1D');
    expect((await lab.newest()).id).toBe(third.id);
    expect((await lab.retry(third.id)).status).toBe(200);
    await lab.arrive();
    expect((await lab.read(wednesday.id)).settlement.status).toBe('settled');
    // Friday evening: the next bank day is Monday.
    await lab.pass('P1D');
    await lab.paid(1_234, { currency: 'USD' });
    await lab.arrive();
    expect(weekdayOf((await lab.newest()).scheduled_at)).toBe(1);
    await lab.pass('P3D');
    // Every cent: what came in settled is what went out, and the entries sum to the balance.
    const all = await lab.settlements();
    expect(all.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid', 'paid']);
    const paidOut = (await payouts())
      .filter(({ status }: { status: string }) => status === 'completed')
      .reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
    expect(all.reduce((sum, { amount }) => sum + amount, 0)).toBe(paidOut);
    expect(all.reduce((sum, { gross: taken, deducted }) => sum + taken - deducted, 0)).toBe(paidOut);
    expect(await lab.balance()).toEqual({});
    for (const { id, gross: taken, deducted } of all) {
      const { data } = (await lab.request(`GET /v1/balance/entries?limit=100&source=${id}`)).body;
      const reserved = data.filter((entry: { account: string }) => entry.account === 'reserved');
      expect(reserved.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(taken - deducted);
    }
    for (const account of ['available', 'pending', 'reserved']) {
      const sums = Object.values(await lab.entries(account));
      expect(
        sums.every(sum => sum === 0),
        account,
      ).toBe(true);
    }
  });
});

describe('an operator of mobile money', { timeout: 60_000 }, () => {
  it('is paid from its minimum on: smaller settlements wait for the next day, and add up', async () => {
    await lab.settleTo({ asset: 'GHS', destination: wallet });
    await lab.paid(60, cedis);
    await lab.pass('P1D');
    const waiting = await lab.newest();
    expect(waiting).toMatchObject({ status: 'open', gross: 60, failure: { code: 'below_minimum' } });
    await lab.paid(70, cedis);
    await lab.pass('P1D');
    expect(await lab.newest()).toMatchObject({
      id: waiting.id,
      status: 'paid',
      amount: 130,
      payments: 2,
      failure: null,
    });
  });

  it('is paid without a day’s end if each payment is paid out', async () => {
    await lab.settleTo({ batch: 'payment' });
    await lab.paid(60, cedis);
    await lab.arrive();
    const waiting = await lab.newest();
    expect(waiting).toMatchObject({ status: 'open', failure: { code: 'below_minimum' } });
    await lab.paid(70, cedis);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ id: waiting.id, status: 'paid', amount: 130, payments: 2 });
    await lab.paid(200, cedis);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ status: 'paid', amount: 200, payments: 1 });
  });
});

describe('a settlement above the operator’s largest transfer', { timeout: 60_000 }, () => {
  const mpesa = { type: 'mobile_money', provider: 'mpesa', number: '+254712345678' };
  const most = 25_000_000;
  const shillings = { currency: 'KES', settlement_asset: 'KES' };
  // Settlements that were made at one moment have no order.
  const newestOf = async (count: number) =>
    (await lab.settlements('&currency=KES')).slice(0, count).toSorted((x, y) => x.carried - y.carried);

  it('is paid by several payouts at one close, to the cent', async () => {
    await lab.settleTo({ asset: 'KES', destination: mpesa, batch: 'daily' });
    const made: Payment[] = [];
    for (const amount of [21_000_033, 30_000_000, 9_000_017]) made.push(await lab.paid(amount, shillings));
    await lab.pass('P1D');
    const all = await newestOf(3);
    const rest = 60_000_050 - 2 * most;
    expect(all.map(({ status, amount, carried }) => [status, amount, carried])).toEqual([
      ['paid', most, most - 60_000_050],
      ['paid', rest, rest],
      ['paid', most, most],
    ]);
    expect(new Set(all.map(({ closed_at }) => closed_at?.slice(0, 16))).size).toBe(1);
    const sent = await Promise.all(all.map(async each => (await lab.request(`GET /v1/payouts/${each.payout}`)).body));
    expect(sent.map(({ amount, status }) => [amount, status])).toEqual(all.map(({ amount }) => [amount, 'completed']));
    for (const { id } of made) expect((await lab.read(id)).settlement.status).toBe('settled');
    expect(await lab.balance()).toEqual({});
  });

  it('is paid at once by several payouts if each payment is paid out', async () => {
    await lab.settleTo({ batch: 'payment' });
    await lab.paid(most + 1_000, shillings);
    await lab.arrive();
    expect((await newestOf(2)).map(({ status, amount }) => [status, amount])).toEqual([
      ['paid', most],
      ['paid', 1_000],
    ]);
    expect(await lab.balance()).toEqual({});
  });
});

describe('an open settlement', { timeout: 60_000 }, () => {
  const hourOf = async () => new Date((await lab.newest()).scheduled_at ?? '').getUTCHours();
  const inZone = (timezone: string) => lab.request('PATCH /v1/account', { body: { timezone } });

  it('follows the account’s hour, time zone and batch', async () => {
    await lab.settleTo({ asset: 'EUR', destination: accountOf('Ada Lovelace'), batch: 'daily', hour: 17 });
    await lab.paid(5_000);
    expect(await hourOf()).toBe(17);
    await lab.settleTo({ hour: 9 });
    expect(await hourOf()).toBe(9);
    await inZone('Asia/Tokyo');
    expect(await hourOf()).toBe(0);
    await inZone('UTC');
    await lab.settleTo({ batch: 'payment' });
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ status: 'paid', batch: 'payment', amount: 5_000 });
  });

  it('is paid at its hour if the account settles on Stellar again', async () => {
    await lab.settleTo({ batch: 'daily' });
    await lab.paid(700);
    await lab.settleTo({ asset: 'USDC' });
    expect(await lab.newest()).toMatchObject({ status: 'open', gross: 700 });
    await lab.pass('P4D');
    expect(await lab.newest()).toMatchObject({ status: 'paid', amount: 700 });
  });
});

describe('a settlement that no rail can pay', { timeout: 60_000 }, () => {
  /** The operator of the server disconnects the rail that paid the wallet, or connects it again. */
  const payBy = (provider: string) =>
    lab.database.pool.query('update merchants set settlement_destination = $1 where id = $2', [
      JSON.stringify({ ...wallet, provider }),
      lab.merchant.id,
    ]);
  const becomeUnpayable = async () => {
    await lab.settleTo({ asset: 'GHS', destination: wallet, batch: 'daily' });
    await lab.paid(500, cedis);
    await payBy('nobody');
    await lab.pass('P1D');
    const waiting = await lab.newest();
    expect(waiting).toMatchObject({ status: 'open', gross: 500, failure: { code: 'no_route' } });
    expect(await lab.attention()).toEqual(['settlements_without_route']);
    return waiting;
  };

  it('waits, says why, and is paid once a rail can', async () => {
    const { id } = await becomeUnpayable();
    await payBy(wallet.provider);
    await lab.pass('PT2H');
    expect(await lab.newest()).toMatchObject({ id, status: 'paid', amount: 500, failure: null });
    expect(await lab.attention()).toEqual([]);
  });

  it('is kept in the balance by a person', async () => {
    const { id } = await becomeUnpayable();
    const balance = await lab.balance();
    const kept = await lab.keep(id);
    await payBy(wallet.provider);
    expect([kept.status, kept.body.status, kept.body.amount], kept.text).toEqual([200, 'kept', 500]);
    expect(await lab.balance()).toEqual({ ...balance, 'reserved GHS': undefined, 'available GHS': 500 });
    expect(await lab.attention()).toEqual([]);
  });
});

describe('an open settlement of an account that keeps its money', { timeout: 60_000 }, () => {
  const openOne = async (amount: number) => {
    await lab.settleTo({ asset: 'EUR', destination: accountOf('Ada Lovelace'), batch: 'daily' });
    return { payment: await lab.paid(amount), settlement: await lab.newest() };
  };

  it('names its time in its payments, for the merchant only', async () => {
    const { payment, settlement } = await openOne(6_000);
    const due = { settlement: settlement.id, due_at: settlement.scheduled_at };
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'submitted', ...due });
    const { body } = await lab.request(`GET /v1/payments?settlement=${settlement.id}`);
    expect(body.data[0].settlement).toMatchObject(due);
    expect((await lab.request(`GET /v1/payments/${payment.id}/history`)).body.payment.settlement).toMatchObject(due);
    const { client_secret: key } = await lab.create({ settlement_asset: 'EUR' });
    const payers = (await lab.request(`GET /v1/payments/${key?.split('_secret_')[0]}`, { key: key ?? '' })).body;
    expect(payers.settlement).not.toHaveProperty('settlement');
  });

  it('is kept once by the schedule manual, less what earlier payments owe', async () => {
    const { settlement } = await openOne(1_000);
    const refused = await lab.keep(settlement.id);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('settlement.schedule')]);
    await lab.pass('P4D');
    const [paidOut] = (await lab.request(`GET /v1/payments?settlement=${settlement.id}`)).body.data;
    await lab.refund(paidOut.id, { amount: 600 });
    const { payment, settlement: open } = await openOne(5_000);
    const balance = await lab.balance();
    await lab.settleTo({ schedule: 'manual' });
    const [asked] = await Promise.all([lab.keep(open.id), lab.sweep('settlements.close')]);
    expect([200, 409]).toContain(asked.status);
    const kept = await lab.newest();
    expect(kept).toMatchObject({
      id: open.id,
      status: 'kept',
      amount: 4_400,
      deducted: 600,
      payout: null,
      payouts: [],
    });
    await lab.arrive();
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'none', payout: null, due_at: null });
    expect(await lab.balance()).toEqual({ ...balance, 'reserved EUR': undefined, 'available EUR': 4_400 });
    expect(await lab.eventsOf(open.id)).toEqual(['settlement.kept']);
    await lab.settleTo({ schedule: 'automatic' });
    await lab.pass('P4D');
    expect(await lab.newest()).toMatchObject({ id: open.id, status: 'kept' });
  });

  it('is kept once a second person has approved that its destination is removed', async () => {
    const { settlement } = await openOne(700);
    await lab.settleTo({ asset: 'USDC' });
    const asked = await lab.request('PATCH /v1/account', { body: { settlement: { destination: null } } });
    const second = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
    const approval = `/v1/approvals/${asked.body.settlement.destination_change.id}/approve` as const;
    expect((await lab.request(`POST ${approval}`, { key: second })).status).toBe(200);
    await lab.sweep('settlements.close');
    expect(await lab.newest()).toMatchObject({ id: settlement.id, status: 'kept', amount: 700 });
  });
});

describe('a settlement that cannot be closed', { timeout: 60_000 }, () => {
  it('waits alone, and is paid when the cause is gone', async () => {
    await lab.settleTo({ asset: 'EUR', destination: accountOf('Ada Lovelace'), batch: 'daily' });
    await lab.paid(800);
    const { id } = await lab.newest();
    // No change of the row can be stored while its version is the largest integer.
    const setVersion = (version: number) =>
      lab.database.pool.query('update settlements set version = $2 where id = $1', [id, version]);
    await setVersion(2_147_483_647);
    lab.clock.advance(4 * 86_400);
    await lab.arrive();
    await setVersion(1);
    const told = lab.logs.filter(line => line.includes('a settlement failed and will be tried again'));
    expect(told[0]).toContain(id);
    await lab.arrive();
    expect(await lab.newest()).toMatchObject({ id, status: 'paid', amount: 800 });
  });
});
