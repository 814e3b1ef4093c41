import type { Asset } from '@stellar/stellar-sdk/base';
import { TransactionResult } from '@stellar/stellar-sdk/xdr';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppliedTransaction } from '../../../../src/sandbox/stellar/core/ledger-close.ts';
import type { Entry } from '../../../../src/sandbox/stellar/core/state/entries.ts';
import { encodeKey } from '../../../../src/sandbox/stellar/core/state/entry-xdr.ts';
import { supply, violations } from './invariants.ts';
import {
  anyOperations,
  type PathTerms,
  pathPayment,
  pathPaymentOf,
  pathTerms,
  type RandomOperation,
  trading,
} from './random-operations.ts';
import { addressOf, assetOf, tradingWorld, World, type WorldOptions } from './world.ts';

const settled = tradingWorld();
const begin = (options: WorldOptions = {}): World =>
  new World({ ...options, header: settled.ledger.header, entries: settled.entries });

/** Sends the operations as one transaction of the first operation’s source, with all required signatures. */
function send(world: World, operations: readonly RandomOperation[], after = 0): string {
  const [first] = operations;
  const signers = operations.map(({ source }) => source);
  const fee = 100 + operations.length;
  return world.submit(
    world.envelope(
      first?.source ?? '',
      operations.map(({ operation }) => operation),
      { fee, after, signers },
    ),
  ).status;
}

const batches = fc.array(fc.array(anyOperations, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
const runs = { numRuns: 60 };

describe('random transactions', () => {
  it('preserve the invariants of coins, liabilities, reserves, sponsorships and pools', () => {
    let succeeded = 0;
    fc.assert(
      fc.property(batches, ledgers => {
        const world = begin();
        for (const transactions of ledgers) {
          for (const operations of transactions) send(world, operations);
          const { transactions: applied } = world.close();
          succeeded += applied.filter(({ successful }) => successful).length;
          expect(applied.filter(isInternalError)).toEqual([]);
          expect(violations(world.read, world.ledger.header)).toEqual([]);
        }
      }),
      runs,
    );
    expect(succeeded).toBeGreaterThan(50);
  });

  it('have the same results, byte by byte, when applied again to the same state', () => {
    fc.assert(
      fc.property(batches, ledgers => {
        const worlds = [begin(), begin()];
        const outcomes = worlds.map(world =>
          ledgers.map(transactions => {
            const statuses = transactions.map(operations => send(world, operations));
            return { statuses, closed: world.close() };
          }),
        );
        expect(outcomes[0]).toEqual(outcomes[1]);
      }),
      { numRuns: 20 },
    );
  });

  it('change only fee and sequence when they fail', () => {
    fc.assert(
      fc.property(fc.array(anyOperations, { minLength: 1, maxLength: 12 }), transactions => {
        const world = begin();
        for (const operations of transactions) {
          const before = byKey(world.read);
          if (send(world, operations) !== 'PENDING') continue;
          const [applied] = world.close().transactions;
          if (applied?.successful) continue;
          expect(differences(before, byKey(world.read))).toEqual([
            { balance: applied?.feeCharged, sequence: -1n, kind: 'account' },
          ]);
        }
      }),
      runs,
    );
  });

  it('lead to the same state in a second ledger that loads the stored entries', () => {
    fc.assert(
      fc.property(batches, fc.array(anyOperations, { minLength: 1, maxLength: 4 }), (ledgers, last) => {
        const world = begin();
        for (const transactions of ledgers) {
          for (const operations of transactions) send(world, operations);
          world.close();
        }
        const reopened = new World({ header: world.ledger.header, entries: world.entries });
        expect(last.map(operations => send(reopened, operations))).toEqual(
          last.map(operations => send(world, operations)),
        );
        expect(reopened.close()).toEqual(world.close());
      }),
      { numRuns: 20 },
    );
  });
});

describe('path payments', () => {
  const market = fc.array(trading, { maxLength: 16 });

  function marketWorld(operations: readonly RandomOperation[]): World {
    const world = begin();
    for (const operation of operations) if (send(world, [operation]) === 'PENDING') world.close();
    return world;
  }

  it('neither create nor destroy credit', () => {
    fc.assert(
      fc.property(market, fc.array(pathPayment, { minLength: 1, maxLength: 8 }), (operations, payments) => {
        const world = marketWorld(operations);
        const before = supply(world.read);
        before.delete('native');
        for (const payment of payments) if (send(world, [payment]) === 'PENDING') world.close();
        const after = supply(world.read);
        after.delete('native');
        expect(after).toEqual(before);
      }),
      runs,
    );
  });

  it('deliver and cost exactly the quoted amounts', () => {
    let compared = 0;
    fc.assert(
      fc.property(market, fc.array(pathTerms, { minLength: 1, maxLength: 6 }), (operations, payments) => {
        const world = marketWorld(operations);
        for (const terms of payments) {
          const quoted = quoteOf(world, terms);
          const [fair, greedy] = [quoted ?? 1n, quoted === null ? null : quoted + (terms.strict === 'send' ? 1n : -1n)];
          if (greedy !== null && greedy > 0n) expect(codeOf(world, terms, greedy)).not.toBe(0);
          const code = codeOf(world, terms, fair);
          if (quoted === null) expect(code).not.toBe(0);
          else expect([tooFewOffers, beyondLimit]).not.toContain(code);
          if (code === 0) compared++;
        }
      }),
      runs,
    );
    expect(compared).toBeGreaterThan(50);
  });
});

const tooFewOffers = -10;
const beyondLimit = -12;

const stroopsOf = (units: string): bigint => BigInt(units.replace('.', ''));
const unitsOf = (stroops: bigint): string =>
  `${stroops / 10_000_000n}.${String(stroops % 10_000_000n).padStart(7, '0')}`;

function quoteOf({ ledger }: World, { source, path, amount, strict }: PathTerms): bigint | null {
  const assets = path.map(code => assetText(assetOf(code)));
  return ledger.quote({ path: assets, amount: stroopsOf(amount), strict, payer: addressOf(source) });
}

/** The payment’s result code with this limit; `null` when the operation was not reached. */
function codeOf(world: World, terms: PathTerms, bound: bigint): number | null {
  if (send(world, [pathPaymentOf({ ...terms, bound: unitsOf(bound) })]) !== 'PENDING') return null;
  const [applied] = world.close().transactions;
  const { result } = TransactionResult.schema.decode(Buffer.from(applied?.resultXdr ?? '', 'base64'));
  const [operation] = result.code === 0 || result.code === -1 ? result.results : [];
  if (operation?.code !== 0) return null;
  const { tr } = operation;
  if (tr.type === 2) return tr.pathPaymentStrictReceiveResult.code;
  return tr.type === 13 ? tr.pathPaymentStrictSendResult.code : null;
}

const assetText = (asset: Asset): string => (asset.isNative() ? 'native' : `${asset.getCode()}:${asset.getIssuer()}`);

/** `tx_internal_error`: the state was invalid. */
const isInternalError = ({ resultXdr }: AppliedTransaction): boolean =>
  TransactionResult.schema.decode(Buffer.from(resultXdr, 'base64')).result.code === -11;

const byKey = (entries: readonly Entry[]): Map<string, Entry> =>
  new Map(entries.map(entry => [encodeKey(entry), entry]));

const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** The changed fields: amounts as differences, other fields with their new value. */
function differences(before: Map<string, Entry>, after: Map<string, Entry>): object[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(key => {
    const [old, now] = [before.get(key), after.get(key)];
    if (!old || !now) return [{ key, old, now }];
    const fields = Object.keys(now.entry).filter(
      field => !['sequenceLedger', 'sequenceTime', 'lastModified'].includes(field),
    );
    const changed = fields.flatMap(field => {
      const [was, is] = [old, now].map(({ entry }) => (entry as unknown as Record<string, unknown>)[field]);
      if (JSON.stringify(was, text) === JSON.stringify(is, text)) return [];
      return [[field, typeof was === 'bigint' && typeof is === 'bigint' ? was - is : is]];
    });
    return changed.length === 0 ? [] : [{ kind: now.kind, ...Object.fromEntries(changed) }];
  });
}
