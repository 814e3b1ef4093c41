import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Approval } from '../../../src/api/balance/approval.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import { parseUnits } from '../../../src/core/money.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { createValuer } from '../../../src/server/approvals/approval.ts';
import { createPasswords } from '../../../src/server/people/password.ts';
import type { Merchant } from '../../../src/server/platform/merchant.ts';
import { createRates } from '../../../src/server/rates/rates.ts';
import { quickCost, type TestAnswer } from '../../support/app.ts';
import { order, refusal } from '../payments/payment-lab.ts';
import { phone } from '../payouts/bulk-lab.ts';
import { password, personWith } from '../people/visitor.ts';
import { type SettlementLab, startSettlementLab } from '../settlement/settlement-lab.ts';

const limit = 1_000;
let lab: SettlementLab;
let account: string;
beforeAll(async () => {
  lab = await startSettlementLab();
  account = (await lab.openAccount(sandboxAssets.USDC)).publicKey();
}, 60_000);
/** Keys of merchants whose clock is ahead of the server's. */
const ahead: string[] = [];
afterAll(async () => {
  // Released payouts are still on their way, by the clock of their merchant.
  await vi.waitFor(
    async () => {
      for (const key of ahead) await send('POST /v1/test_helpers/clock', key, { advance: 'PT1H' });
      await lab.expectSoundBooks();
    },
    { timeout: 30_000 },
  );
  await lab.close();
});

/** An account with money and a limit, two people, and two keys of the first. */
async function openShop(approvalLimit: number | null = limit) {
  const terms =
    approvalLimit === null ? {} : { payoutApprovalAmount: BigInt(approvalLimit), payoutApprovalCurrency: 'EUR' };
  const { id } = await lab.addMerchant({ settlementSchedule: 'manual', ...terms });
  const [person, other] = [newId('person'), newId('person')];
  const keyOf = (made: string) => lab.addKey(id, 'secret', { person: made });
  const [key, second, foreign] = await Promise.all([keyOf(person), keyOf(person), keyOf(other)]);
  await send('POST /v1/test_helpers/fund', key, { currency: 'EUR', amount: 100_000 });
  return { id, key, second, foreign };
}

const send = (call: `${string} /${string}`, key: string, body?: object): Promise<TestAnswer> =>
  lab.request(call, { key, ...(body !== undefined && { body }) });

/** One use of a way out: the object as the call answers it. */
type Use = (key: string, amount: number) => Promise<TestAnswer>;

const ways: Readonly<Record<Approval['kind'], Use | null>> = {
  payout_batch: (key, amount) => send('POST /v1/payouts/bulk', key, { payouts: [{ ...phone, amount }] }),
  withdrawal: (key, amount) =>
    send('POST /v1/balance/withdrawals', key, { currency: 'EUR', amount, destination: { address: account } }),
  refund: async (key, amount) => {
    const { body: payment } = await send('POST /v1/payments', key, { ...order, amount });
    const method = { method: 'card', token: 'tok_visa' };
    const paid = await send(`POST /v1/payments/${payment.id}/confirm`, key, method);
    expect(paid.status, paid.text).toBe(200);
    return await send(`POST /v1/payments/${payment.id}/refunds`, key, {
      destination: { iban: 'DE89370400440532013000' },
    });
  },
  return: async (key, amount) => {
    const { body } = await send('POST /v1/test_helpers/bank_transfers', key, { amount, currency: 'EUR' });
    return await send(`POST /v1/transfers/${body.id}/return`, key, { destination: { iban: 'DE89370400440532013000' } });
  },
  conversion: (key, amount) =>
    send('POST /v1/balance/conversions', key, { from: { currency: 'EUR', amount }, to: { currency: 'USD' } }),
  approval_limit: null,
  settlement_destination: null,
};
const allWays = Object.entries(ways).flatMap(([kind, use]) =>
  use === null ? [] : [[kind as Approval['kind'], use] as const],
);

const waits = async (use: Use, key: string, amount: number) => {
  const answer = await use(key, amount);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.status === 'awaiting_approval';
};
const approvalsOf = async (key: string, query: string): Promise<Approval[]> =>
  (await send(`GET /v1/approvals?limit=100&${query}`, key)).body.data;
const waitingOf = async (key: string) => {
  const [approval] = await approvalsOf(key, 'status=awaiting_approval');
  if (approval === undefined) throw new Error('nothing waits');
  return approval;
};

describe.each(allWays)('%s', { timeout: 60_000 }, (kind, use) => {
  it.each<[string, number[], boolean[]]>([
    ['below the limit needs nobody', [limit - 1], [false]],
    ['of the limit needs nobody', [limit], [false]],
    ['above the limit waits', [limit + 1], [true]],
    ['above it by several of the limit waits after the first', Array(5).fill(limit), [false, true, true, true, true]],
    ['above it to one recipient waits', [600, 600, 400], [false, true, false]],
  ])('%s', async (_, amounts, expected) => {
    const { key } = await openShop();
    const found: boolean[] = [];
    for (const amount of amounts) found.push(await waits(use, key, amount));
    expect(found).toEqual(expected);
  });

  it('is approved by another person only', async () => {
    const { key, second, foreign } = await openShop();
    expect(await waits(use, key, limit + 1)).toBe(true);
    const approval = await waitingOf(key);
    expect(approval).toMatchObject({ kind, worth: { amount: limit + 1, currency: 'EUR' }, decided_by: null });
    const { body: made } = await send('POST /v1/api-keys', second, { type: 'secret' });
    for (const own of [key, second, made.key]) {
      expect(refusal(await send(`POST /v1/approvals/${approval.id}/approve`, own))).toEqual([
        403,
        'approval_required',
        null,
      ]);
    }
    const { status, body, text } = await send(`POST /v1/approvals/${approval.id}/approve`, foreign);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ status: 'approved', decided_by: expect.stringMatching(/^key_/) });
    const { body: events } = await send(`GET /v1/events?resource=${approval.id}`, key);
    const types = events.data.map(({ type }: { type: string }) => type);
    expect(types.toSorted()).toEqual(['approval.approved', 'approval.created']);
    expect(refusal(await send(`POST /v1/approvals/${approval.id}/approve`, foreign))[0]).toBe(409);
    // What two people have approved does not count towards the limit of one.
    expect(await waits(use, key, limit)).toBe(false);
  });

  it('that is canceled sends nothing, and its money is free', async () => {
    const { id, key, foreign } = await openShop();
    expect(await waits(use, key, limit + 1)).toBe(true);
    const approval = await waitingOf(key);
    const cancel = () => send(`POST /v1/approvals/${approval.id}/cancel`, key);
    expect((await cancel()).body).toMatchObject({ status: 'canceled' });
    expect(refusal(await cancel())[0]).toBe(409);
    expect(refusal(await send(`POST /v1/approvals/${approval.id}/approve`, foreign))[0]).toBe(409);
    const { body: balance } = await send('GET /v1/balance', key);
    expect(balance.reserved).toEqual([]);
    const sent = await lab.database.pool.query('select from outbound_transfers where merchant_id = $1', [id]);
    expect(sent.rowCount).toBe(0);
  });
});

describe('the limit of an account', { timeout: 60_000 }, () => {
  it('holds for uses of all ways at the same time', async () => {
    const { key } = await openShop();
    const { payout_batch: pay, conversion: convert, withdrawal: withdraw } = ways;
    const uses = [pay, convert, withdraw, pay, convert, withdraw, pay, convert].flatMap(use => use ?? []);
    const found = await Promise.all(uses.map(use => waits(use, key, 400)));
    expect(found.filter(waited => !waited)).toHaveLength(2);
  });

  it('lets one person send at most its amount in any 24 hours', async () => {
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom<'payout_batch' | 'conversion'>('payout_batch', 'conversion'),
        amount: fc.integer({ min: 50, max: 700 }),
        hours: fc.integer({ min: 0, max: 15 }),
      }),
      { minLength: 6, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async list => {
        const { key } = await openShop();
        ahead.push(key);
        for (const { kind, amount, hours } of list) {
          if (hours > 0) await send('POST /v1/test_helpers/clock', key, { advance: `PT${hours}H` });
          await ways[kind]?.(key, amount);
        }
        const released = await approvalsOf(key, 'status=released');
        for (const { created_at: end } of released) {
          const start = Date.parse(end) - 86_400_000;
          const inDay = released.filter(({ created_at: at }) => Date.parse(at) > start && at <= end);
          const sum = inDay.reduce((total, { worth }) => total + (worth?.amount ?? 0), 0);
          expect(sum).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 4 },
    );
  }, 120_000);

  it('counts a batch no longer that is canceled before anything was sent', async () => {
    const { key } = await openShop();
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const schedule = { type: 'scheduled', at: later };
    const { body } = await send('POST /v1/payouts/bulk', key, { payouts: [{ ...phone, amount: limit }], schedule });
    expect(body.status).toBe('scheduled');
    expect((await send(`POST /v1/payout-batches/${body.id}/cancel`, key)).body.status).toBe('canceled');
    expect(await waits(ways.payout_batch as Use, key, limit)).toBe(false);
  });

  it('is changed by two people', async () => {
    const { key, second, foreign } = await openShop(null);
    const set = (own: string, above: object | null) =>
      send('PATCH /v1/account', own, { payouts: { approval_above: above } });
    const euros = (amount: number) => ({ amount, currency: 'EUR' });
    expect((await set(key, euros(500))).body.payouts).toEqual({ approval_above: euros(500) });
    for (const next of [euros(900), euros(100), null]) {
      const { body } = await set(key, next);
      expect(body.payouts).toMatchObject({
        approval_above: euros(500),
        approval_change: { approval_above: next, livemode: false },
      });
      const { id } = body.payouts.approval_change;
      expect((await set(second, next)).body.payouts.approval_above).toEqual(euros(500));
      expect(refusal(await send(`POST /v1/approvals/${id}/approve`, second))).toEqual([403, 'approval_required', null]);
      expect((await send(`POST /v1/approvals/${id}/approve`, foreign)).body).toMatchObject({
        status: 'approved',
        kind: 'approval_limit',
        change: { approval_above: next },
      });
      expect((await send('GET /v1/account', key)).body.payouts).toEqual({ approval_above: next });
      if (next !== null) await set(key, euros(500)).then(() => set(foreign, euros(500)));
    }
  });

  it('is changed by the same request of another person, and withdrawn by the current limit', async () => {
    const { key, foreign } = await openShop();
    const set = (own: string, amount: number) =>
      send('PATCH /v1/account', own, { payouts: { approval_above: { amount, currency: 'EUR' } } });
    await set(key, 5_000);
    expect((await set(key, limit)).body.payouts).toEqual({ approval_above: { amount: limit, currency: 'EUR' } });
    await set(key, 5_000);
    expect((await set(foreign, 5_000)).body.payouts).toEqual({ approval_above: { amount: 5_000, currency: 'EUR' } });
  });
});

describe('excess money of an unknown sender', { timeout: 60_000 }, () => {
  /** A payment with about 20 EUR too much from a sender that the chain does not name, such as a contract. */
  async function overpaid(key: string): Promise<string> {
    const { body: payment } = await send('POST /v1/payments', key, { ...order, payment_methods: ['crypto'] });
    const asked = await send(`POST /v1/payments/${payment.id}/confirm`, key, {
      method: 'crypto',
      chain: 'stellar',
      asset: sandboxAssets.USDC,
    });
    const { address, amount } = asked.body.next_action;
    const payer = await lab.openAccount(sandboxAssets.USDC);
    await lab.give(payer.publicKey(), sandboxAssets.USDC);
    const coins = {
      destination: address,
      asset: sandboxAssets.USDC,
      amount: (parseUnits(amount, 7) ?? 0n) + 200_000_000n,
    };
    await lab.onLedger(payer, { type: 'payment', ...coins });
    const read = () => send(`GET /v1/payments/${payment.id}`, key);
    await lab.until('it is overpaid', async () => (await read()).body.exception === 'overpaid');
    await lab.database.pool.query('update transfers set sender = null where payment_id = $1', [payment.id]);
    return payment.id;
  }

  it('is sent back above the limit only after another person has approved it', async () => {
    const { key, second, foreign } = await openShop();
    const id = await overpaid(key);
    expect((await send(`POST /v1/payments/${id}/resolve`, key, { action: 'refund' })).body.exception).toBeNull();
    const refund = async () => (await send(`GET /v1/payments/${id}/refunds`, key)).body.data[0];
    expect(await refund()).toMatchObject({ status: 'awaiting_approval', reason: 'overpayment' });
    const approval = await waitingOf(key);
    expect(approval).toMatchObject({ kind: 'refund', subject: (await refund()).id });
    expect((await send(`POST /v1/approvals/${approval.id}/approve`, second)).status).toBe(403);
    expect((await send(`POST /v1/approvals/${approval.id}/approve`, foreign)).body.status).toBe('approved');
    expect(await refund()).toMatchObject({ status: 'pending', requires_destination: true });
  });

  it('is sent back at once below the limit', async () => {
    const { key } = await openShop(100_000);
    const id = await overpaid(key);
    await send(`POST /v1/payments/${id}/resolve`, key, { action: 'refund' });
    expect(await approvalsOf(key, 'kind=refund')).toMatchObject([{ status: 'released' }]);
  });
});

it('a refund to the payer waits only if its money was settled to another address than the account’s', async () => {
  const { key } = await openShop();
  const destination = { type: 'bank_account', iban: 'DE89370400440532013000' };
  const settlement = { schedule: 'automatic', stellar_address: account, destination };
  expect((await send('PATCH /v1/account', key, { settlement })).status).toBe(200);
  const elsewhere = (await lab.openAccount(sandboxAssets.USDC)).publicKey();
  for (const [terms, status] of [
    [{ settlement_address: account }, 'pending'],
    [{ settlement_address: elsewhere }, 'awaiting_approval'],
    [{ settlement_asset: 'EUR' }, 'pending'],
  ] as const) {
    const { body } = await send('POST /v1/payments', key, { ...order, amount: 2 * limit, ...terms });
    await send(`POST /v1/payments/${body.id}/confirm`, key, { method: 'card', token: 'tok_visa' });
    const read = () => send(`GET /v1/payments/${body.id}`, key);
    const begun = ['submitted', 'settled'];
    await lab.until('its money has left', async () => begun.includes((await read()).body.settlement.status));
    const refund = await send(`POST /v1/payments/${body.id}/refunds`, key, {});
    expect([refund.status, refund.body.status], refund.text).toEqual([201, status]);
  }
}, 60_000);

describe('a person', { timeout: 60_000 }, () => {
  it('approves in the dashboard by the role, and an owner does not approve what a key without a person asked', async () => {
    const hash = await createPasswords(quickCost).hash(password);
    const { id } = await openShop();
    const bare = await lab.addKey(id, 'secret');
    const [owner, finance, viewer] = await Promise.all(
      (['owner', 'finance', 'viewer'] as const).map(role => personWith(lab, role, hash, id)),
    );
    expect(await waits(ways.payout_batch as Use, bare, limit + 1)).toBe(true);
    const approval = await waitingOf(bare);
    const call = `POST /v1/approvals/${approval.id}/approve` as const;
    const results = [await viewer?.send(call), await owner?.send(call), await finance?.send(call)];
    expect(results.map(answer => answer?.status)).toEqual([403, 403, 200]);
    expect(results[2]?.body.decided_by).toBe(finance?.id);
    expect((await send(`GET /v1/payout-batches/${approval.subject}`, bare)).body.approval.approved_by).toBe(
      finance?.id,
    );
  });
});

it('money without a rate has no known worth, whatever the reason', async () => {
  const asset = (code: string) => `${code}:${account}`;
  const rates = createRates({ id: 'test', wellKnownAssets: {}, price: async () => null }, systemClock, [
    asset('KNOWN'),
  ]);
  for (const currency of [asset('KNOWN'), asset('DELISTED')]) {
    const terms = { payoutApprovalAmount: 1_000n, payoutApprovalCurrency: 'EUR' } as Merchant;
    const valuer = await createValuer({ rates }, terms, [currency]);
    expect(valuer?.([{ amount: 1n, currency }])).toEqual({ amount: null, currency: 'EUR' });
  }
});
