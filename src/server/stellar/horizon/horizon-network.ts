import { formatUnits } from '../../../core/money.ts';
import { stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import {
  type IngestedLedger,
  type PaymentPath,
  type StellarAccount,
  type StellarBalance,
  type StellarMarket,
  type StellarNetwork,
  StellarUnavailable,
} from '../network.ts';
import { askServer, type JsonRecord } from '../server-answer.ts';
import { memoRequiredEntry } from '../transaction/operation.ts';
import {
  assetQuery,
  createHorizonClient,
  fromAssetWord,
  type HorizonClient,
  type HorizonTarget,
  horizonAsset,
  largestPage,
} from './horizon-client.ts';
import { createHorizonClawbacks, createHorizonHistory } from './horizon-history.ts';

/**
 * A Stellar network behind a Horizon server: the sandbox, testnet, the public network, or the operator's own server.
 * The Stellar SDK is loaded with the first transaction.
 */
export function createHorizonNetwork(target: HorizonTarget): StellarNetwork {
  const client = createHorizonClient(target);
  const submission = () => import('./horizon-submission.ts');
  return {
    passphrase: target.passphrase,
    submit: async envelopeXdr => (await submission()).submitToHorizon(client, envelopeXdr),
    status: async hash => (await submission()).statusInHorizon(client, hash),
    latestLedger: () => newestLedger(client),
    fees: async () => {
      const stats = await client.get('fee_stats');
      if (stats === null) throw new StellarUnavailable('Horizon has no fee statistics');
      return {
        base: stats.bigint('last_ledger_base_fee'),
        usual: stats.record('max_fee').bigint('p95'),
      };
    },
    ...createHorizonHistory(client),
    ...createHorizonClawbacks(client),
    ...createHorizonMarket(client),
  };
}

/** Opens accounts on a test network with 10,000 XLM. */
export interface Friendbot {
  /** Throws `StellarUnavailable` if the network has no friendbot, or the friendbot refuses or does not answer. */
  open(address: string): Promise<void>;
}

/** The friendbot to which Horizon links. */
export function createFriendbot(target: HorizonTarget): Friendbot {
  const client = createHorizonClient(target);
  return {
    open: async address => {
      const links = (await client.get(''))?.record('_links');
      const link = links?.has('friendbot') ? links.record('friendbot').text('href') : '';
      // The link is a template: https://friendbot.stellar.org/{?addr}
      const url = URL.parse(`${link.replace(/\{.*$/, '')}?addr=${address}`);
      if (url === null) throw new StellarUnavailable('this Horizon has no friendbot');
      const answer = await askServer(target.http, 'friendbot', { url });
      // Status 400 means that the account already exists.
      if (answer.status !== 200 && answer.status !== 400) {
        throw new StellarUnavailable(`friendbot answers ${answer.status}`);
      }
    },
  };
}

function createHorizonMarket(client: HorizonClient): StellarMarket {
  return {
    account: async address => {
      const [record, ledger] = await Promise.all([client.get(`accounts/${address}`), newestLedger(client)]);
      return record === null ? null : readAccount(record, ledger.baseReserve);
    },
    strictReceivePaths: async ({ sourceAssets, asset, amount }) => {
      const target = { ...assetQuery(asset, 'destination_'), destination_amount: amountText(amount) };
      const queries = assetLists(sourceAssets).map(assets => ({ ...target, source_assets: assets }));
      const found = await readPaths(client, 'paths/strict-receive', queries);
      return found.sort((a, b) => compare(a.sourceAmount, b.sourceAmount));
    },
    strictSendPaths: async ({ asset, amount, destinationAssets }) => {
      const source = { ...assetQuery(asset, 'source_'), source_amount: amountText(amount) };
      const queries = assetLists(destinationAssets).map(assets => ({ ...source, destination_assets: assets }));
      const found = await readPaths(client, 'paths/strict-send', queries);
      return found.sort((a, b) => compare(b.destinationAmount, a.destinationAmount));
    },
    claimableBalances: async (claimant, cursor) => {
      const query = { claimant, cursor: cursor ?? undefined, order: 'asc', limit: largestPage };
      const [records, ledger] = await Promise.all([client.list('claimable_balances', query), newestLedger(client)]);
      const balances = records
        .filter(balance => isClaimableBy(balance, claimant, ledger.closedAt))
        .map(balance => ({
          id: balance.text('id'),
          asset: fromAssetWord(balance.text('asset')),
          amount: balance.amount('amount'),
        }));
      const last = records.length < largestPage ? undefined : records.at(-1);
      return { balances, next: last?.text('paging_token') ?? null };
    },
  };
}

function readAccount(record: JsonRecord, baseReserve: bigint): StellarAccount {
  const data = record.has('data') ? record.record('data') : null;
  return {
    address: record.text('account_id'),
    sequence: record.bigint('sequence'),
    balances: record.list('balances').flatMap(balance => readBalance(balance, reserveOf(record, baseReserve))),
    memoRequired:
      data?.optionalText(memoRequiredEntry.name) === Buffer.from(memoRequiredEntry.value).toString('base64'),
    signers: record.list('signers').map(signer => ({ key: signer.text('key'), weight: signer.integer('weight') })),
    mediumThreshold: record.record('thresholds').integer('med_threshold'),
  };
}

/**
 * An account's reserve: two base reserves, one per own unsponsored entry, and one per entry that it sponsors (CAP-33).
 */
function reserveOf(record: JsonRecord, baseReserve: bigint): bigint {
  const sponsoring = record.has('num_sponsoring') ? record.bigint('num_sponsoring') : 0n;
  const sponsored = record.has('num_sponsored') ? record.bigint('num_sponsored') : 0n;
  return (2n + record.bigint('subentry_count') + sponsoring - sponsored) * baseReserve;
}

/** Reads a balance. Omits shares of liquidity pools, because they cannot be sent. */
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

function amountText(stroops: bigint): string {
  return formatUnits(stroops, stellarDecimals);
}

/** Lists of assets for queries. Horizon takes at most 15 assets at once. */
function assetLists(assets: readonly string[]): string[] {
  const words = assets.map(asset => (asset === 'XLM' ? 'native' : asset));
  return words.flatMap((_, index) => (index % 15 === 0 ? [words.slice(index, index + 15).join(',')] : []));
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
  return own !== undefined && holds(own.record('predicate'), now) === true;
}

/**
 * Whether a claimant's predicate holds. Null: the kind of predicate is unknown. The ledger has already converted
 * relative times to absolute times (CAP-23).
 */
function holds(predicate: JsonRecord, now: Date): boolean | null {
  if (predicate.has('unconditional')) return predicate.boolean('unconditional');
  if (predicate.has('abs_before')) return now < predicate.time('abs_before');
  if (predicate.has('not')) {
    const negated = holds(predicate.record('not'), now);
    return negated === null ? null : !negated;
  }
  const decisive = predicate.has('or');
  if (!decisive && !predicate.has('and')) return null;
  const parts = predicate.list(decisive ? 'or' : 'and').map(part => holds(part, now));
  if (parts.includes(decisive)) return decisive;
  return parts.includes(null) ? null : !decisive;
}

/** The newest ledger of Horizon's history. `baseReserve` is the reserve of each ledger entry, in stroops. */
async function newestLedger(client: HorizonClient): Promise<IngestedLedger & { readonly baseReserve: bigint }> {
  const [ledger] = await client.list('ledgers', { order: 'desc', limit: 1 });
  if (ledger === undefined) throw new StellarUnavailable('Horizon has not read any ledger yet');
  return {
    sequence: ledger.integer('sequence'),
    closedAt: ledger.time('closed_at'),
    baseReserve: ledger.bigint('base_reserve_in_stroops'),
  };
}
