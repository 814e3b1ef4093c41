import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { muxedAddress } from '../../src/server/stellar/transaction/muxed-address.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { horizonFaults } from './horizon-faults.ts';
import { KilledService } from './killed-service.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

/** Amount of work without a time limit. With a limit, half of the round's seconds is used. */
const thorough = { settlements: 500, kills: 20 };
/** The least number of settlements, also on a slow machine. */
const fewest = 40;
const random = seeded(seed);
const service = new KilledService({ ledgerMs: 100, patienceMs: 120_000 });
const merchants: string[] = [];
let made = 0;

/** The expected amount of each created payment, by the id in its muxed settlement address. */
const created = new Map<string, { readonly paymentId: string; readonly amount: string }>();
/** The paid payments of `created`. After a kill, some are paid only when the acquirer's state is read. */
let expected: typeof created;

beforeAll(async () => {
  await service.start();
  for (let i = 0; i < 4; i++) merchants.push(await service.openAccount());
  await service.putFaults(horizonFaults);
  const part = beginPart(0.5);
  const isBounded = roundSeconds !== null;
  const load = pay(() => made >= fewest && (isBounded ? part.isOver() : made >= thorough.settlements));
  while (isBounded ? !part.isOver() : service.kills < thorough.kills) {
    await part.pause(500 + random() * 1_500);
    await service.kill();
  }
  await load;
  await service.putFaults([]);
  // Charges of a killed server are checked within half a minute.
  for (let i = 0; i < 3; i++) await service.call('POST /v1/test_helpers/clock', { advance: 'PT1M' });
  await service.until('everything has ended', async () => {
    const unsettled = "status = 'completed' and (settlement_status <> 'settled' or settlement_due_at is not null)";
    const [row] = await service.query(
      `select count(*)::int as open from payments where phase = 'processing' or ${unsettled}`,
    );
    return row?.['open'] === 0;
  });
  const paid = new Set(
    (await service.query("select id from payments where status = 'completed'")).map(row => row['id']),
  );
  expected = new Map([...created].filter(([, { paymentId }]) => paid.has(paymentId)));
  report(`${expected.size} settlements, ${service.kills} kills`);
}, 600_000);

afterAll(() => service.close());

/** Pays by card, one payment after the other, each settled to its own muxed address. */
async function pay(isOver: () => boolean): Promise<void> {
  const client = async () => {
    while (!isOver()) {
      const id = String(++made);
      const merchant = merchants[made % merchants.length] ?? '';
      const body = {
        amount: 1_000 + made,
        currency: 'EUR',
        settlement_asset: 'USDC',
        settlement_network: 'stellar',
        payment_methods: ['card'],
        customer: { email: 'ada@example.com' },
        settlement_address: muxedAddress(merchant, BigInt(id)),
      };
      const { body: payment } = await service.insist('POST /v1/payments', body, `settle-${id}`);
      const token = { method: 'card', token: 'tok_visa' };
      created.set(id, { paymentId: payment.id, amount: payment.quote.settlement_amount });
      await service.insist(`POST /v1/payments/${payment.id}/confirm`, token, `pay-${id}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

describe('settlements with faults, while the service is killed repeatedly', () => {
  it('are enough for a result, and have met faults', async () => {
    expect(expected.size).toBeGreaterThan(made * 0.9);
    const [attempts] = await service.query('select count(*) filter (where attempts > 2)::int as again from carriers');
    // A short round may have no repeated attempt.
    if (roundSeconds === null) expect(attempts?.['again']).toBeGreaterThan(0);
  });

  it('are each applied on the ledger exactly once, exact to the stroop', async () => {
    const arrived = await service.arrivals(merchants);
    const wrong = [...expected].filter(([id, { amount }]) => {
      const payments = arrived.get(id) ?? [];
      return payments.length !== 1 || payments[0]?.amount !== BigInt(amount.replace('.', ''));
    });
    expect(wrong).toEqual([]);
    expect([...arrived.keys()].filter(id => !expected.has(id)).length).toBe(0);
  });

  it('are reported as settled, each with its transaction', async () => {
    const arrived = await service.arrivals(merchants);
    const hashes = new Map(
      (await service.query('select id, settlement_tx_hash from payments')).map(row => [
        row['id'],
        row['settlement_tx_hash'],
      ]),
    );
    const known = new Map(
      (await service.query('select hash, inner_hash from sandbox.stellar_transactions')).map(row => [
        row['hash'],
        row['inner_hash'],
      ]),
    );
    const wrong = [...expected].filter(([id, { paymentId }]) => {
      const [payment] = arrived.get(id) ?? [];
      const reported = hashes.get(paymentId);
      return reported !== payment?.transactionHash && reported !== known.get(payment?.transactionHash);
    });
    expect(wrong).toEqual([]);
  });

  it('are all completed', async () => {
    expect(
      await service.query("select id, state from outbound_transfers where state not in ('completed', 'failed')"),
    ).toEqual([]);
    expect(await service.query("select id, state from carriers where state in ('built', 'submitted')")).toEqual([]);
    expect(await service.query('select address from channel_accounts where carrier_id is not null')).toEqual([]);
  });

  it('never had two transactions at a time that could both be applied', async () => {
    expect(await service.overlapping()).toEqual([]);
  });

  it('keep the books consistent', async () => {
    expect(await findUnsoundBooks(await service.pool())).toEqual({});
  });
});
