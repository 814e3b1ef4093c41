import { randomUUID } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { findOutbound, insertOutbound } from '../../../../src/server/outbound/outbound.store.ts';
import type { NewOutbound, OutboundRow } from '../../../../src/server/outbound/outbound.ts';
import { type SettlementLab, startSettlementLab } from '../../settlement/settlement-lab.ts';

const { USDC } = sandboxAssets;
const unit = 10_000_000n;
const purpose = 'test';
let lab: SettlementLab;
let payee: string;
let bare: string;
beforeAll(async () => {
  lab = await startSettlementLab();
  [payee, bare] = await Promise.all([
    lab.openAccount(USDC).then(key => key.publicKey()),
    lab.openAccount().then(key => key.publicKey()),
  ]);
}, 60_000);
afterAll(() => lab.close());

type Changes = () => Partial<Pick<NewOutbound, 'destination' | 'asset' | 'amount' | 'source'>>;

const to =
  (more: object): Changes =>
  () => ({ destination: { address: payee, ...more } });

/** Transfers that must arrive. The queue stores rows as earlier versions accepted them. */
const good: Record<string, Changes> = {
  plain: to({}),
  'a memo in capital hexadecimal': to({ memo: 'AB'.repeat(32), memo_type: 'hash' }),
  'a memo with a leading zero': to({ memo: '0042', memo_type: 'id' }),
  'the same memo in small letters': to({ memo: 'ab'.repeat(32), memo_type: 'hash' }),
};

/** Transfers that cannot be sent: how they end, and why. */
const poisoned: Record<string, readonly [Changes, string]> = {
  'a memo of letters as id': [to({ memo: 'x', memo_type: 'id' }), 'failed invalid_destination'],
  'a short hash': [to({ memo: 'AB', memo_type: 'return' }), 'failed invalid_destination'],
  'a long text': [to({ memo: 'x'.repeat(29), memo_type: 'text' }), 'failed invalid_destination'],
  'a wrong address': [() => ({ destination: { address: 'nowhere' } }), 'failed invalid_destination'],
  'no address': [() => ({ destination: {} }), 'failed invalid_destination'],
  'no account': [() => ({ destination: { address: Keypair.random().publicKey() } }), 'failed destination_missing'],
  'no trustline': [() => ({ destination: { address: bare } }), 'failed no_trustline'],
  'an unknown asset': [() => ({ asset: 'not an asset' }), 'failed no_trustline'],
  'an unknown source': [
    () => ({ source: { asset: 'not an asset', max: unit, path: [] } }),
    'held treasury_underfunded',
  ],
  'an unknown step of its path': [() => ({ source: { asset: USDC, max: unit, path: ['?'] } }), 'failed refused'],
  'too large a sum': [() => ({ amount: 2n ** 63n - 1n }), 'failed account_limit_reached|held treasury_underfunded'],
};

async function queueAll(kinds: readonly string[]): Promise<readonly string[]> {
  const transfers = kinds.map((kind): NewOutbound => {
    const changes = (good[kind] ?? poisoned[kind]?.[0])?.() ?? {};
    const { amount = unit, asset = USDC } = changes;
    return {
      merchantId: lab.merchant.id,
      livemode: false,
      purpose,
      resourceId: randomUUID(),
      attempt: 1,
      rail: 'stellar',
      destination: { address: payee },
      originalReference: null,
      asset,
      amount,
      source: null,
      value: unit,
      valueCurrency: USDC,
      now: new Date(),
      ...changes,
    };
  });
  await insertOutbound(lab.database.db, transfers);
  return transfers.map(({ resourceId }) => resourceId);
}

async function statesOf(ids: readonly string[]): Promise<readonly (OutboundRow | undefined)[]> {
  const rows = await findOutbound(lab.database.db, lab.merchant.id, purpose, ids);
  return ids.map(id => rows.find(row => row.resource_id === id));
}

const isDecided = (row: OutboundRow | undefined) =>
  row?.state === 'completed' || row?.state === 'failed' || (row?.state === 'held' && row.failure_code !== null);

describe('a transfer that cannot be sent', { timeout: 120_000 }, () => {
  it('fails or waits alone, whatever stands beside it', async () => {
    const kinds = fc.array(fc.constantFrom(...Object.keys(good), ...Object.keys(poisoned)), { maxLength: 12 });
    const every = [...Object.keys(poisoned), ...Object.keys(good)];
    await fc.assert(
      fc.asyncProperty(kinds, async chosen => {
        const all = [...chosen, 'plain'];
        const ids = await queueAll(all);
        await lab.until('all are decided', async () => (await statesOf(ids)).every(isDecided));
        const states = (await statesOf(ids)).map(row => `${row?.state} ${row?.failure_code ?? ''}`.trim());
        for (const [index, kind] of all.entries()) {
          const expected = poisoned[kind]?.[1].split('|') ?? ['completed'];
          expect(expected, kind).toContain(states[index]);
        }
      }),
      { numRuns: 4, examples: [[every]] },
    );
    // Held transfers end, so that no later test meets them.
    await lab.database.pool.query(`delete from outbound_transfers where state = 'held'`);
  });
});
