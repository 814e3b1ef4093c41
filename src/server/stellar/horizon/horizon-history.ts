import { fromRpcCursor, operationPlace } from '../history-position.ts';
import { ExchangeError } from '../http-exchange.ts';
import type { JsonRecord } from '../json-record.ts';
import {
  type IncomingPayment,
  type StellarClawbacks,
  type StellarHistory,
  StellarUnavailable,
  type TransactionMemo,
} from '../network.ts';
import { followStream } from './hint-stream.ts';
import type { HorizonClient } from './horizon-client.ts';
import { horizonAsset, horizonAssetWord } from './horizon-client.ts';

/** The most records that Horizon puts on a page. */
const largestPage = 200;

/**
 * Reads `/accounts/:id/operations`, since `/payments` leaves out claimed balances. Each record brings its transaction,
 * and so the memo, along.
 */
export function createHorizonHistory(client: HorizonClient): StellarHistory {
  return {
    incoming: async (account, cursor, limit) => {
      const start = cursor === null ? '0' : fromRpcCursor(cursor);
      const size = Math.min(limit, largestPage);
      const { records, size: asked } = await readPage(client, account, start, size);
      const payments = await Promise.all(records.map(record => readOperation(client, account, record)));
      const last = records.at(-1);
      return {
        payments: payments.flat(),
        cursor: last === undefined ? start : last.text('paging_token'),
        more: records.length >= asked,
      };
    },
    follow: (account, onHint, signal) =>
      followStream({ client, path: `accounts/${account}/operations`, onHint, signal }),
  };
}

/** One page. A transaction of a hundred operations comes a hundred times: a page that grows too large is read in parts. */
async function readPage(client: HorizonClient, account: string, cursor: string, size: number) {
  const query = { cursor, order: 'asc', limit: size, join: 'transactions' };
  try {
    return { records: await client.list(`accounts/${account}/operations`, query), size };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    const isTooLarge = cause instanceof ExchangeError && cause.reason === 'answer_too_large';
    if (!isTooLarge || size === 1) throw error;
    return await readPage(client, account, cursor, Math.max(1, Math.floor(size / 8)));
  }
}

/** What an operation says of the money it moved, whatever its kind calls it. */
interface Movement {
  readonly kind: IncomingPayment['kind'];
  readonly from: string;
  readonly fromMuxedId: string | null;
  readonly toMuxedId: string | null;
  readonly asset: string;
  readonly amount: bigint;
  /** The transaction’s own when left out. */
  readonly memo?: TransactionMemo | null;
}

type Read = (client: HorizonClient, account: string, record: JsonRecord) => Promise<readonly Movement[]>;

const paid =
  (kind: 'payment' | 'path_payment'): Read =>
  async (_, account, record) =>
    record.text('to') !== account
      ? []
      : [
          {
            kind,
            from: record.text('from'),
            fromMuxedId: record.optionalText('from_muxed_id'),
            toMuxedId: record.optionalText('to_muxed_id'),
            asset: horizonAsset(record),
            amount: record.amount('amount'),
          },
        ];

/** How money that reached the account is read from each kind of operation; any other kind brings none. */
const readers: Readonly<Record<string, Read>> = {
  payment: paid('payment'),
  path_payment_strict_receive: paid('path_payment'),
  path_payment_strict_send: paid('path_payment'),
  create_account: async (_, account, record) =>
    record.text('account') !== account
      ? []
      : [
          {
            kind: 'create_account',
            from: record.text('funder'),
            fromMuxedId: record.optionalText('funder_muxed_id'),
            toMuxedId: null,
            asset: 'XLM',
            amount: record.amount('starting_balance'),
          },
        ],
  account_merge: async (_, account, record) => {
    if (record.text('into') !== account) return [];
    const fromMuxedId = record.optionalText('account_muxed_id');
    const toMuxedId = record.optionalText('into_muxed_id');
    const amount = await mergedAmount(record);
    return [{ kind: 'account_merge', from: record.text('account'), fromMuxedId, toMuxedId, asset: 'XLM', amount }];
  },
  claim_claimable_balance: async (client, account, record) =>
    record.text('claimant') !== account ? [] : await claimedBalance(client, account, record),
  invoke_host_function: async (_, account, record) =>
    record.has('asset_balance_changes')
      ? record.list('asset_balance_changes').flatMap(change => contractTransfer(account, change))
      : [],
};

/** What the merged account had is told by the result of the operation alone. */
async function mergedAmount(record: JsonRecord): Promise<bigint> {
  const { mergedBalance } = await import('../transaction/transaction-result.ts');
  const { operationIndex } = operationPlace(record.text('id'));
  const amount = mergedBalance(record.record('transaction').text('result_xdr'), operationIndex);
  if (amount === null) throw new StellarUnavailable(`the result of ${record.text('id')} does not say what was merged`);
  return amount;
}

/**
 * What was claimed is told by the operation that put it aside, as is by whom and with which memo: that of the claim is
 * the claimant’s own. Where that operation is no longer kept, the effects of the claim tell the amount.
 */
async function claimedBalance(client: HorizonClient, account: string, record: JsonRecord): Promise<Movement[]> {
  const balanceId = record.text('balance_id');
  const query = { order: 'asc', limit: 1, join: 'transactions' };
  const [created] = await client.list(`claimable_balances/${balanceId}/operations`, query);
  const claimed = { kind: 'claimed_balance', toMuxedId: null } as const;
  if (created?.text('type') === 'create_claimable_balance') {
    const from = created.text('source_account');
    const fromMuxedId = created.optionalText('source_account_muxed_id');
    const money = { asset: horizonAssetWord(created.text('asset')), amount: created.amount('amount') };
    return [{ ...claimed, ...money, from, fromMuxedId, memo: memoOf(created.record('transaction')) }];
  }
  const effects = await client.list(`operations/${record.text('id')}/effects`, { limit: largestPage });
  return effects
    .filter(effect => effect.text('type') === 'account_credited' && effect.text('account') === account)
    .map(effect => ({
      ...{ ...claimed, from: balanceId, fromMuxedId: null, memo: null },
      ...{ asset: horizonAsset(effect), amount: effect.amount('amount') },
    }));
}

/** What a contract sent to the account through an asset’s own contract (CAP-46-6); Horizon lists no other tokens. */
function contractTransfer(account: string, change: JsonRecord): Movement[] {
  const isIncoming = ['transfer', 'mint'].includes(change.text('type')) && change.optionalText('to') === account;
  if (!isIncoming) return [];
  const asset = horizonAsset(change);
  return [
    {
      kind: 'contract',
      from: change.optionalText('from') ?? asset.split(':')[1] ?? '',
      fromMuxedId: null,
      toMuxedId: change.optionalText('destination_muxed_id'),
      asset,
      amount: change.amount('amount'),
    },
  ];
}

async function readOperation(client: HorizonClient, account: string, record: JsonRecord): Promise<IncomingPayment[]> {
  const read = readers[record.text('type')];
  if (read === undefined || !record.boolean('transaction_successful')) return [];
  const movements = await read(client, account, record);
  const { ledger, operationIndex } = operationPlace(record.text('id'));
  // What an account sends to itself, as when it turns one asset into another, is not money that reached it; nor is
  // nothing: an account that its sponsor pays for may be merged with not a stroop in it.
  return movements
    .filter(({ from, amount }) => from !== account && amount > 0n)
    .map((movement, index) => ({
      memo: memoOf(record.record('transaction')),
      ...movement,
      to: account,
      cursor: record.text('paging_token'),
      transactionHash: record.text('transaction_hash'),
      // A contract call is its transaction’s only operation, but may send several times.
      operationIndex: operationIndex + index,
      ledger,
      createdAt: record.time('created_at'),
    }));
}

function memoOf(transaction: JsonRecord): TransactionMemo | null {
  const type = transaction.text('memo_type');
  if (type === 'id') return { type, value: transaction.text('memo') };
  if (type === 'hash' || type === 'return') {
    return { type, value: Buffer.from(transaction.text('memo'), 'base64').toString('hex') };
  }
  // An empty text is left out, as `none` is.
  return type === 'text' ? { type, value: transaction.optionalText('memo') ?? '' } : null;
}

/**
 * Finds clawbacks among the operations that concern an account: Horizon has no list of them alone. Transactions are not
 * brought along, so a page is small.
 */
export function createHorizonClawbacks(client: HorizonClient): StellarClawbacks {
  return {
    clawbacks: async (account, cursor) => {
      const path = `accounts/${account}/operations`;
      if (cursor === null) {
        const [newest] = await client.list(path, { order: 'desc', limit: 1 });
        return { clawbacks: [], cursor: newest?.text('paging_token') ?? '0', more: false };
      }
      const records = await client.list(path, { cursor, order: 'asc', limit: largestPage });
      const taken = records.filter(record => record.text('type') === 'clawback' && record.text('from') === account);
      return {
        clawbacks: taken.map(record => ({
          reference: record.text('id'),
          transactionHash: record.text('transaction_hash'),
          asset: horizonAsset(record),
          amount: record.amount('amount'),
          createdAt: record.time('created_at'),
        })),
        cursor: records.at(-1)?.text('paging_token') ?? cursor,
        more: records.length === largestPage,
      };
    },
  };
}
