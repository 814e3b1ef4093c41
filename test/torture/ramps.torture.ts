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
/** The ramp of each wallet, by the id in its muxed address. */
const ramps = new Map<string, Ramp>();

beforeAll(async () => {
  await service.start();
  for (let i = 0; i < 4; i++) wallets.push(await service.openAccount());
  const terms = { enabled: true, assets: ['USDC'], methods: ['card'], fees: [{ percent: 1.5 }] };
  await service.call('PATCH /v1/account', { ramps: terms });
  await service.putFaults(horizonFaults);
  const part = beginPart(0.1);
  const isBounded = roundSeconds !== null;
  const load = buy(() => made >= fewest && (isBounded ? part.isOver() : made >= thorough.ramps));
  while (isBounded ? !part.isOver() : service.kills < thorough.kills) {
    await part.pause(500 + random() * 1_500);
    await service.kill();
  }
  await load;
  await service.putFaults([]);
  // Charges of a killed server are checked within half a minute.
  for (let i = 0; i < 3; i++) await service.call('POST /v1/test_helpers/clock', { advance: 'PT1M' });
  await service.until('everything has ended', async () => {
    const [row] = await service.query(
      `select (select count(*) from ramps where status like 'pending_%' and paid_at is not null)
        + (select count(*) from payments where phase = 'processing')
        + (select count(*) from refunds where status = 'pending') as open`,
    );
    return Number(row?.['open']) === 0;
  });
  for (const [id, { id: rampId }] of ramps) ramps.set(id, (await service.call(`GET /v1/ramps/${rampId}`)).body);
  report(`${ramps.size} ramps, ${service.kills} kills`);
}, 600_000);

afterAll(() => service.close());

/** Customers buy coins by card. Some cards are declined, some payments canceled, and some refunded at once. */
async function buy(isOver: () => boolean): Promise<void> {
  const customer = async () => {
    while (!isOver()) {
      const id = String(++made);
      const body = {
        direction: 'on',
        fiat_currency: 'EUR',
        fiat_amount: 1_000 + made,
        asset: 'USDC',
        method: 'card',
        wallet: { address: muxedAddress(wallets[made % wallets.length] ?? '', BigInt(id)) },
        customer: { email: 'ada@example.com' },
      };
      const { body: ramp } = await service.insist('POST /v1/ramps', body, `ramp-${id}`);
      ramps.set(id, ramp);
      const chance = random();
      if (chance < 0.05) await service.insist(`POST /v1/ramps/${ramp.id}/cancel`, {}, `cancel-${id}`);
      const token = chance > 0.95 ? 'tok_declined' : 'tok_visa';
      await service.insist(`POST /v1/payments/${ramp.payment}/confirm`, { method: 'card', token }, `pay-${id}`);
      // The refund and the delivery race, and one of them wins.
      if (chance > 0.7) await service.insist(`POST /v1/ramps/${ramp.id}/refunds`, {}, `refund-${id}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, customer));
}

describe('ramps with faults, while the service is killed repeatedly', () => {
  it('end: delivered, refunded or never paid', async () => {
    const states = Map.groupBy(ramps.values(), ({ status }) => status);
    const open = ['completed', 'refunded', 'expired', 'pending_user_transfer_start'];
    expect([...states.keys()].filter(status => !open.includes(status))).toEqual([]);
    expect(states.get('completed')?.length ?? 0).toBeGreaterThan(made * 0.2);
  });

  it('deliver exactly once what they say, and nothing that was refunded', async () => {
    const arrived = await service.arrivals(wallets);
    const wrong = [...ramps].filter(([id, { status, amount_out: out }]) => {
      const payments = arrived.get(id) ?? [];
      if (status !== 'completed') return payments.length > 0;
      return payments.length !== 1 || payments[0]?.amount !== BigInt(String(out).replace('.', ''));
    });
    expect(wrong).toEqual([]);
  });

  it('give back what was refunded, once', async () => {
    const refunded = await service.query(
      "select payment_id, sum(amount)::int as amount from refunds where status = 'completed' group by payment_id",
    );
    const byPayment = new Map(refunded.map(row => [row['payment_id'], row['amount']]));
    const wrong = [...ramps.values()].filter(
      ({ status, payment, amount_in }) => (byPayment.get(payment) ?? 0) !== (status === 'refunded' ? amount_in : 0),
    );
    expect(wrong).toEqual([]);
  });

  it('keep the books sound', async () => {
    expect(await findUnsoundBooks(await service.pool())).toEqual({});
  });
});
