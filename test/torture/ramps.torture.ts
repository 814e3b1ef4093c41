import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ramp } from '../../src/api/ramps/ramp.ts';
import { muxedAddress } from '../../src/server/stellar/transaction/muxed-address.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { horizonFaults } from './horizon-faults.ts';
import { KilledService } from './killed-service.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

/** Amount of work without a time limit. */
const thorough = { ramps: 500, kills: 20 };
/** The least number of ramps, also on a slow machine. */
const fewest = 25;
const random = seeded(seed);
const service = new KilledService({ ledgerMs: 100, patienceMs: 120_000 });
const wallets: string[] = [];
let made = 0;
/** Each ramp by its number, which the muxed address of a buyer's wallet contains. */
const ramps = new Map<string, Ramp>();

beforeAll(async () => {
  await service.start();
  for (let i = 0; i < 4; i++) wallets.push(await service.openAccount());
  const terms = { enabled: true, assets: ['USDC'], methods: ['card', 'bank_transfer'], fees: [{ percent: 1.5 }] };
  await service.call('PATCH /v1/account', { ramps: terms, quote_seconds: 120, quote_grace_seconds: 0 });
  await service.putFaults(horizonFaults);
  const part = beginPart(0.1);
  const isBounded = roundSeconds !== null;
  const load = trade(() => made >= fewest && (isBounded ? part.isOver() : made >= thorough.ramps));
  while (isBounded ? !part.isOver() : service.kills < thorough.kills) {
    await part.pause(500 + random() * 1_500);
    await service.kill();
  }
  await load;
  await service.putFaults([]);
  // Charges of a killed server are checked within half a minute, and coins that are too few wait until the price ends.
  for (let i = 0; i < 3; i++) await service.call('POST /v1/test_helpers/clock', { advance: 'PT1M' });
  await service.until('everything has ended', hasEnded);
  await readRamps();
  for (const [id, ramp] of ramps) {
    if (ramp.status === 'on_hold') await service.insist(`POST /v1/ramps/${ramp.id}/refunds`, {}, `back-${id}`);
  }
  await service.until('held coins are back', hasEnded);
  await readRamps();
  report(`${purchases().length} purchases, ${sales().length} sales, ${service.kills} kills`);
}, 600_000);

afterAll(() => service.close());

async function hasEnded(): Promise<boolean> {
  const [row] = await service.query(
    `select (select count(*) from ramps where (status like 'pending_%' and paid_at is not null) or due_at is not null)
      + (select count(*) from payments where phase = 'processing')
      + (select count(*) from transfers where status = 'returning')
      + (select count(*) from refunds where status = 'pending') as open`,
  );
  return Number(row?.['open']) === 0;
}

async function readRamps(): Promise<void> {
  for (const [id, { id: rampId }] of ramps) ramps.set(id, (await service.call(`GET /v1/ramps/${rampId}`)).body);
}

/** Customers buy and sell at the same time. */
async function trade(isOver: () => boolean): Promise<void> {
  const customer = async () => {
    while (!isOver()) {
      const id = String(++made);
      await (made % 3 === 0 ? sell(id) : buy(id));
    }
  };
  await Promise.all(Array.from({ length: 8 }, customer));
}

async function begin(id: string, terms: object): Promise<Ramp> {
  const body = { fiat_currency: 'EUR', asset: 'USDC', customer: { email: 'ada@example.com' }, ...terms };
  const { body: ramp } = await service.insist('POST /v1/ramps', body, `ramp-${id}`);
  ramps.set(id, ramp);
  return ramp;
}

/** A purchase by card. Some cards are declined, some payments canceled, and some refunded at once. */
async function buy(id: string): Promise<void> {
  const wallet = { address: muxedAddress(wallets[Number(id) % wallets.length] ?? '', BigInt(id)) };
  const ramp = await begin(id, { direction: 'on', fiat_amount: 1_000 + Number(id), method: 'card', wallet });
  const chance = random();
  if (chance < 0.05) await service.insist(`POST /v1/ramps/${ramp.id}/cancel`, {}, `cancel-${id}`);
  const token = chance > 0.95 ? 'tok_declined' : 'tok_visa';
  await service.insist(`POST /v1/payments/${ramp.payment}/confirm`, { method: 'card', token }, `pay-${id}`);
  // The refund and the delivery race, and one of them wins.
  if (chance > 0.7) await service.insist(`POST /v1/ramps/${ramp.id}/refunds`, {}, `refund-${id}`);
}

/** A sale to a bank account. Some accounts are closed, and some sellers send too few coins, too many, or after a cancellation. */
async function sell(id: string): Promise<void> {
  const chance = random();
  const account_holder = chance < 0.15 ? 'Closed Account' : 'Ada Lovelace';
  const payout_destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder };
  const coins = 20 + (Number(id) % 50);
  const ramp = await begin(id, {
    direction: 'off',
    asset_amount: `${coins}.0000000`,
    method: 'bank_transfer',
    payout_destination,
  });
  if (ramp.deposit === null || !('address' in ramp.deposit)) throw new Error(`sale ${id} shows no address`);
  if (chance > 0.95) await service.insist(`POST /v1/ramps/${ramp.id}/cancel`, {}, `cancel-${id}`);
  const share = chance > 0.85 && chance < 0.9 ? 0.5 : chance > 0.8 && chance < 0.85 ? 1.25 : 1;
  const { chain, address, asset } = ramp.deposit;
  const amount = (coins * share).toFixed(7);
  await service.insist('POST /v1/test_helpers/deposits', { chain, address, asset, amount }, `coins-${id}`);
}

const of = (wanted: Ramp['direction']) => [...ramps.values()].filter(({ direction }) => direction === wanted);
const purchases = () => of('on');
const sales = () => of('off');

describe('ramps with faults, while the service is killed repeatedly', () => {
  it('end: delivered, paid out, refunded or never paid', async () => {
    const states = Map.groupBy(ramps.values(), ({ status }) => status);
    const open = ['completed', 'refunded', 'expired', 'pending_user_transfer_start'];
    expect([...states.keys()].filter(status => !open.includes(status))).toEqual([]);
    expect(states.get('completed')?.length ?? 0).toBeGreaterThan(made * 0.2);
  });

  it('deliver exactly once what they say, and nothing that was refunded', async () => {
    const arrived = await service.arrivals(wallets);
    const wrong = [...ramps].filter(([id, { direction, status, amount_out: out }]) => {
      const payments = arrived.get(id) ?? [];
      if (direction === 'off' || status !== 'completed') return payments.length > 0;
      return payments.length !== 1 || payments[0]?.amount !== BigInt(String(out).replace('.', ''));
    });
    expect(wrong).toEqual([]);
  });

  it('pay out once what they say, and nothing for coins that went back', async () => {
    const payouts = await service.query(
      "select ramp_id, sum(amount)::int as amount, count(*)::int as count from payouts where status = 'completed' group by ramp_id",
    );
    const paid = new Map(payouts.map(({ ramp_id: id, amount, count }) => [id, { amount, count }]));
    const wrong = sales().filter(({ id, status, amount_out: amount }) =>
      status === 'completed' ? !isDeepStrictEqual(paid.get(id), { amount, count: 1 }) : paid.has(id),
    );
    expect(wrong).toEqual([]);
  });

  it('give back what was refunded, once', async () => {
    const refunded = await service.query(
      "select payment_id, sum(amount)::int as amount from refunds where status = 'completed' group by payment_id",
    );
    const byPayment = new Map(refunded.map(row => [row['payment_id'], row['amount']]));
    const wrong = purchases().filter(
      ({ status, payment, amount_in }) => (byPayment.get(payment) ?? 0) !== (status === 'refunded' ? amount_in : 0),
    );
    expect(wrong).toEqual([]);
  });

  it('keep the books sound', async () => {
    expect(await findUnsoundBooks(await service.pool())).toEqual({});
  });
});
