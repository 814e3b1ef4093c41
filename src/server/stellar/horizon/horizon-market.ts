import type { JsonRecord } from '../json-record.ts';
import {
  type IngestedLedger,
  type PaymentPath,
  type StellarAccount,
  type StellarBalance,
  type StellarMarket,
  type StellarSubmission,
  StellarUnavailable,
} from '../network.ts';
import { memoRequiredEntry } from '../transaction/operation.ts';
import type { HorizonClient } from './horizon-client.ts';
import {
  horizonAsset,
  horizonAssetWord,
  toHorizonAmount,
  toHorizonAsset,
  toHorizonAssetWord,
} from './horizon-client.ts';

/** Reads accounts, paths and claimable balances from a Horizon. */
export function createHorizonMarket(client: HorizonClient): StellarMarket {
  return {
    account: async address => {
      const [record, ledger] = await Promise.all([client.get(`accounts/${address}`), newestLedger(client)]);
      return record === null ? null : readAccount(record, ledger.baseReserve);
    },
    strictReceivePaths: async ({ source, asset, amount }) => {
      const target = { ...toHorizonAsset(asset, 'destination_'), destination_amount: toHorizonAmount(amount) };
      const sources =
        'account' in source
          ? [{ source_account: source.account }]
          : batches(source.assets).map(assets => ({ source_assets: assets }));
      const found = await readPaths(
        client,
        'paths/strict-receive',
        sources.map(each => ({ ...target, ...each })),
      );
      return found.sort((a, b) => compare(a.sourceAmount, b.sourceAmount));
    },
    strictSendPaths: async ({ asset, amount, destinationAssets }) => {
      const source = { ...toHorizonAsset(asset, 'source_'), source_amount: toHorizonAmount(amount) };
      const queries = batches(destinationAssets).map(assets => ({ ...source, destination_assets: assets }));
      const found = await readPaths(client, 'paths/strict-send', queries);
      return found.sort((a, b) => compare(b.destinationAmount, a.destinationAmount));
    },
    claimableBalances: async claimant => {
      const [balances, ledger] = await Promise.all([
        client.list('claimable_balances', { claimant, order: 'asc', limit: 200 }),
        newestLedger(client),
      ]);
      return balances
        .filter(balance => isClaimableBy(balance, claimant, ledger.closedAt))
        .map(balance => ({
          id: balance.text('id'),
          asset: horizonAssetWord(balance.text('asset')),
          amount: balance.amount('amount'),
          sponsor: balance.optionalText('sponsor'),
        }));
    },
  };
}

function readAccount(record: JsonRecord, baseReserve: bigint): StellarAccount {
  const thresholds = record.record('thresholds');
  const data = record.has('data') ? record.record('data') : null;
  return {
    address: record.text('account_id'),
    sequence: record.bigint('sequence'),
    balances: record.list('balances').flatMap(balance => readBalance(balance, reserveOf(record, baseReserve))),
    memoRequired:
      data?.optionalText(memoRequiredEntry.name) === Buffer.from(memoRequiredEntry.value).toString('base64'),
    signers: record.list('signers').map(signer => ({ key: signer.text('key'), weight: signer.integer('weight') })),
    thresholds: {
      low: thresholds.integer('low_threshold'),
      medium: thresholds.integer('med_threshold'),
      high: thresholds.integer('high_threshold'),
    },
  };
}

/** What an account must keep: two base reserves, and one for each entry it has and does not have sponsored (CAP-33). */
function reserveOf(record: JsonRecord, baseReserve: bigint): bigint {
  const sponsoring = record.has('num_sponsoring') ? record.bigint('num_sponsoring') : 0n;
  const sponsored = record.has('num_sponsored') ? record.bigint('num_sponsored') : 0n;
  return (2n + record.bigint('subentry_count') + sponsoring - sponsored) * baseReserve;
}

/** Shares of liquidity pools are no asset that can be sent. */
function readBalance(record: JsonRecord, reserve: bigint): StellarBalance[] {
  const type = record.text('asset_type');
  if (type === 'liquidity_pool_shares') return [];
  const isNative = type === 'native';
  const balance = record.amount('balance');
  const spendable = balance - record.amount('selling_liabilities') - (isNative ? reserve : 0n);
  return [
    {
      asset: horizonAsset(record),
      balance,
      room: isNative ? null : atLeastZero(record.amount('limit') - balance - record.amount('buying_liabilities')),
      spendable: atLeastZero(spendable),
      authorized: isNative || record.boolean('is_authorized'),
    },
  ];
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

/** Horizon takes at most 15 assets at once. */
function batches(assets: readonly string[]): string[] {
  const words = assets.map(toHorizonAssetWord);
  const count = Math.floor((words.length + 14) / 15);
  return Array.from({ length: count }, (_, index) => words.slice(index * 15, index * 15 + 15).join(','));
}

async function readPaths(
  client: HorizonClient,
  path: string,
  queries: readonly Record<string, string>[],
): Promise<PaymentPath[]> {
  const pages = await Promise.all(queries.map(query => client.list(path, query)));
  return pages.flat().map(record => ({
    sourceAsset: horizonAsset(record, 'source_'),
    sourceAmount: record.amount('source_amount'),
    destinationAsset: horizonAsset(record, 'destination_'),
    destinationAmount: record.amount('destination_amount'),
    path: record.list('path').map(step => horizonAsset(step)),
  }));
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isClaimableBy(balance: JsonRecord, claimant: string, now: Date): boolean {
  const own = balance.list('claimants').find(each => each.text('destination') === claimant);
  return own !== undefined && isClaimable(own.record('predicate'), now);
}

/**
 * Whether a claimant’s predicate holds at a ledger’s close. A relative one was made absolute when the balance was
 * created (CAP-23), so one that is left, or any other that is not known, does not hold.
 */
function isClaimable(predicate: JsonRecord, now: Date): boolean {
  if (predicate.has('unconditional')) return predicate.boolean('unconditional');
  if (predicate.has('and')) return predicate.list('and').every(each => isClaimable(each, now));
  if (predicate.has('or')) return predicate.list('or').some(each => isClaimable(each, now));
  if (predicate.has('not')) return isKnown(predicate.record('not')) && !isClaimable(predicate.record('not'), now);
  return predicate.has('abs_before') && now < predicate.time('abs_before');
}

/** What is not known is not true the other way round, either. */
function isKnown(predicate: JsonRecord): boolean {
  if (predicate.has('not')) return isKnown(predicate.record('not'));
  const branch = ['and', 'or'].find(word => predicate.has(word));
  if (branch !== undefined) return predicate.list(branch).every(isKnown);
  return predicate.has('unconditional') || predicate.has('abs_before');
}

/** Reads the newest ledger and what ledgers charge from a Horizon. */
export function createHorizonLedgers(client: HorizonClient): Pick<StellarSubmission, 'latestLedger' | 'fees'> {
  return {
    latestLedger: () => newestLedger(client),
    fees: async () => {
      const stats = await client.get('fee_stats');
      if (stats === null) throw new StellarUnavailable('Horizon has no fee statistics');
      return {
        base: stats.bigint('last_ledger_base_fee'),
        usual: stats.record('max_fee').bigint('p95'),
      };
    },
  };
}

/** The newest ledger that Horizon has taken in, and in stroops what it asks accounts to keep for each entry. */
async function newestLedger(client: HorizonClient): Promise<IngestedLedger & { readonly baseReserve: bigint }> {
  const [ledger] = await client.list('ledgers', { order: 'desc', limit: 1 });
  if (ledger === undefined) throw new StellarUnavailable('Horizon has taken in no ledger yet');
  return {
    sequence: ledger.integer('sequence'),
    closedAt: ledger.time('closed_at'),
    baseReserve: ledger.bigint('base_reserve_in_stroops'),
  };
}
