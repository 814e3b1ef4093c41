import { setTimeout as sleep } from 'node:timers/promises';
import { ExchangeError } from '../../platform/http-exchange.ts';
import { fromRpcCursor, operationPosition } from '../history-position.ts';
import {
  type IncomingPayment,
  type StellarClawbacks,
  type StellarHistory,
  StellarUnavailable,
  type TransactionMemo,
} from '../network.ts';
import type { JsonRecord } from '../server-answer.ts';
import { fromAssetWord, type HorizonClient, horizonAsset, horizonUrl, largestPage } from './horizon-client.ts';

/** Reads incoming payments from `/accounts/:id/operations`, because `/payments` omits claimed balances. */
export function createHorizonHistory(client: HorizonClient): StellarHistory {
  return {
    incoming: async (account, cursor, limit) => {
      const start = cursor === null ? '0' : fromRpcCursor(cursor);
      const read = await readPage(client, account, { cursor: start, limit: Math.min(limit, largestPage) });
      const page = await joinPayments(client, account, start, read);
      const payments = await Promise.all(page.records.map(record => readOperation(client, account, record)));
      return {
        payments: payments.flat(),
        cursor: page.records.at(-1)?.text('paging_token') ?? start,
        more: page.isFull,
      };
    },
    follow: (account, onHint, signal) => void followStream(client, `accounts/${account}/operations`, onHint, signal),
  };
}

/** Operations of an account, oldest first. `isFull`: more may follow. */
interface OperationPage {
  readonly records: readonly JsonRecord[];
  readonly isFull: boolean;
}

interface PageQuery {
  readonly cursor: string;
  readonly limit: number;
  readonly join?: 'transactions';
}

/** Reads a page. When the answer is too large, it reads a shorter page. */
async function readPage(client: HorizonClient, account: string, query: PageQuery): Promise<OperationPage> {
  const { limit } = query;
  try {
    const records = await client.list(`accounts/${account}/operations`, { ...query, order: 'asc' });
    return { records, isFull: records.length >= limit };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    const isTooLarge = cause instanceof ExchangeError && cause.reason === 'answer_too_large';
    if (!isTooLarge || limit === 1) throw error;
    return await readPage(client, account, { ...query, limit: Math.max(1, Math.floor(limit / 8)) });
  }
}

/**
 * Reads the page again from its first to its last payment to the account, now with transactions, because they contain
 * the memos. The first reading omits transactions, because Horizon repeats a transaction in each of its operations, up
 * to 100 times. If the second answer would be too large, the page ends earlier.
 */
async function joinPayments(client: HorizonClient, account: string, start: string, page: OperationPage) {
  const { records } = page;
  const first = records.findIndex(record => pays(record, account));
  if (first < 0) return page;
  const last = records.findLastIndex(record => pays(record, account));
  const cursor = records[first - 1]?.text('paging_token') ?? start;
  const limit = last + 1 - first;
  const { records: found } = await readPage(client, account, { cursor, limit, join: 'transactions' });
  const joined = found.slice(0, limit);
  const isSame = joined.every((record, index) => record.text('id') === records[first + index]?.text('id'));
  // Another server behind the same address may lag. A payment that it does not know yet must not be skipped.
  if (joined.length === 0 || !isSame) throw new StellarUnavailable('Horizon answers with different operations');
  const end = first + joined.length;
  const isWhole = joined.length === limit;
  return {
    records: [...records.slice(0, first), ...joined, ...(isWhole ? records.slice(end) : [])],
    isFull: page.isFull || !isWhole,
  };
}

function pays(record: JsonRecord, account: string): boolean {
  return readers[record.text('type')]?.pays(record, account) === true && record.boolean('transaction_successful');
}

/** A payment by an operation. Without `memo`, the transaction's memo counts. */
interface Movement extends Pick<IncomingPayment, 'from' | 'fromMuxedId' | 'toMuxedId' | 'asset' | 'amount'> {
  readonly memo?: TransactionMemo | null;
}

/** Finds payments to the account in operations of one type. */
interface OperationReader {
  /** Whether the operation may pay the account. Needs no transaction. */
  pays(record: JsonRecord, account: string): boolean;
  read(record: JsonRecord, client: HorizonClient, account: string): Movement[] | Promise<Movement[]>;
}

const paymentReader: OperationReader = {
  // A conversion pays from the account to itself.
  pays: (record, account) => record.text('to') === account && record.text('from') !== account,
  read: record => [
    {
      from: record.text('from'),
      fromMuxedId: record.optionalText('from_muxed_id'),
      toMuxedId: record.optionalText('to_muxed_id'),
      asset: horizonAsset(record),
      amount: record.amount('amount'),
    },
  ],
};

/** Readers of the operations that can pay an account, by Horizon's operation type. */
const readers: Readonly<Record<string, OperationReader>> = {
  payment: paymentReader,
  path_payment_strict_receive: paymentReader,
  path_payment_strict_send: paymentReader,
  create_account: {
    pays: (record, account) => record.text('account') === account,
    read: record => [
      {
        from: record.text('funder'),
        toMuxedId: null,
        asset: 'XLM',
        fromMuxedId: record.optionalText('funder_muxed_id'),
        amount: record.amount('starting_balance'),
      },
    ],
  },
  account_merge: {
    pays: (record, account) => record.text('into') === account,
    read: async record => [
      {
        from: record.text('account'),
        asset: 'XLM',
        fromMuxedId: record.optionalText('account_muxed_id'),
        toMuxedId: record.optionalText('into_muxed_id'),
        amount: await mergedAmount(record),
      },
    ],
  },
  claim_claimable_balance: {
    pays: (record, account) => record.text('claimant') === account,
    read: claimedBalance,
  },
  invoke_host_function: {
    pays: (record, account) => contractTransfers(record, account).length > 0,
    read: (record, _, account) => contractTransfers(record, account),
  },
};

/** The balance of the merged account, which only the transaction's result states. */
async function mergedAmount(record: JsonRecord): Promise<bigint> {
  const { mergedBalance } = await import('../transaction/transaction-result.ts');
  const { operationIndex } = operationPosition(record.text('id'));
  const amount = mergedBalance(record.record('transaction').text('result_xdr'), operationIndex);
  if (amount === null)
    throw new StellarUnavailable(`the result of ${record.text('id')} does not contain the merged amount`);
  return amount;
}

/**
 * Reads amount, payer and memo from the operation that created the balance, because the claim has no memo of the payer.
 * If Horizon's history no longer has that operation, the effects of the claim state the amount.
 */
async function claimedBalance(record: JsonRecord, client: HorizonClient, account: string): Promise<Movement[]> {
  const balanceId = record.text('balance_id');
  const query = { order: 'asc', limit: 1, join: 'transactions' };
  const [created] = await client.list(`claimable_balances/${balanceId}/operations`, query);
  if (created?.text('type') === 'create_claimable_balance') {
    const from = created.text('source_account');
    const fromMuxedId = created.optionalText('source_account_muxed_id');
    const money = { asset: fromAssetWord(created.text('asset')), amount: created.amount('amount') };
    return [{ ...money, from, fromMuxedId, toMuxedId: null, memo: memoOf(created.record('transaction')) }];
  }
  const effects = await client.list(`operations/${record.text('id')}/effects`, { limit: largestPage });
  return effects
    .filter(effect => effect.text('type') === 'account_credited' && effect.text('account') === account)
    .map(effect => ({
      from: balanceId,
      fromMuxedId: null,
      toMuxedId: null,
      memo: null,
      asset: horizonAsset(effect),
      amount: effect.amount('amount'),
    }));
}

/** The transfers of a call by an asset's own contract (CAP-46-6). Horizon does not list transfers of other contracts. */
function contractTransfers(record: JsonRecord, account: string): Movement[] {
  if (!record.has('asset_balance_changes')) return [];
  return record.list('asset_balance_changes').flatMap(change => contractTransfer(account, change));
}

function contractTransfer(account: string, change: JsonRecord): Movement[] {
  const isIncoming = ['transfer', 'mint'].includes(change.text('type')) && change.optionalText('to') === account;
  if (!isIncoming) return [];
  const asset = horizonAsset(change);
  return [
    {
      fromMuxedId: null,
      asset,
      amount: change.amount('amount'),
      from: change.optionalText('from') ?? asset.split(':')[1] ?? '',
      toMuxedId: change.optionalText('destination_muxed_id'),
    },
  ];
}

async function readOperation(client: HorizonClient, account: string, record: JsonRecord): Promise<IncomingPayment[]> {
  const reader = readers[record.text('type')];
  if (reader === undefined || !pays(record, account)) return [];
  const movements = await reader.read(record, client, account);
  const { ledger, operationIndex } = operationPosition(record.text('id'));
  // Omits a contract's transfer from the account to itself, and a merged account with a balance of 0.
  return movements
    .filter(({ from, amount }) => from !== account && amount > 0n)
    .map((movement, index) => ({
      memo: memoOf(record.record('transaction')),
      ...movement,
      to: account,
      cursor: record.text('paging_token'),
      transactionHash: record.text('transaction_hash'),
      // A contract call is the only operation of its transaction, but can make several transfers.
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
  // Horizon omits the memo field of an empty text memo.
  return type === 'text' ? { type, value: transaction.optionalText('memo') ?? '' } : null;
}

/** Finds clawbacks among the operations of an account, because Horizon has no list of clawbacks. */
export function createHorizonClawbacks(client: HorizonClient): StellarClawbacks {
  return {
    clawbacks: async (account, cursor) => {
      const path = `accounts/${account}/operations`;
      if (cursor === null) {
        const [newest] = await client.list(path, { order: 'desc', limit: 1 });
        return { clawbacks: [], cursor: newest?.text('paging_token') ?? '0', more: false };
      }
      const records = await client.list(path, { cursor, order: 'asc', limit: largestPage });
      const found = records.filter(record => record.text('type') === 'clawback' && record.text('from') === account);
      return {
        clawbacks: found.map(record => ({
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

/** The default of `silenceMs`. Stellar's SDKs use the same time. */
const usualSilenceMs = 15_000;
/** Shortest pause between two attempts to open a stream, in milliseconds. The pause doubles after each failure. */
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Follows a stream of Horizon until the signal aborts. Calls `onHint` at each message. Also calls it when a stream
 * opens, because the stream omits earlier payments. Reopens a stream that ends, breaks or falls silent.
 */
async function followStream(client: HorizonClient, path: string, onHint: () => void, signal: AbortSignal) {
  let pauseMs = shortestPauseMs;
  while (!signal.aborted) {
    const wasOpen = await listen(client, path, onHint, signal).catch(() => false);
    await sleep(wasOpen ? shortestPauseMs : pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = wasOpen ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs);
  }
}

/**
 * Listens to one stream until it ends. Returns whether the stream opened. Throws errors from before the stream opened.
 */
async function listen(client: HorizonClient, path: string, onHint: () => void, signal: AbortSignal) {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(), client.silenceMs ?? usualSilenceMs);
  let isOpen = false;
  try {
    const url = horizonUrl(client, path, { cursor: 'now', order: 'asc' });
    const request = { url, headers: { accept: 'text/event-stream' } };
    const stream = await client.http.open(request, AbortSignal.any([signal, silence.signal]));
    if (stream.status !== 200) return false;
    isOpen = true;
    onHint();
    for await (const chunk of stream.body) {
      watch.refresh();
      if (hasRecord(chunk)) onHint();
    }
    return true;
  } catch (error) {
    if (!isOpen) throw error;
    return true;
  } finally {
    clearTimeout(watch);
    silence.abort();
  }
}

/** Whether a chunk may contain a record. Greetings and comments have no id. A cut message counts as a record. */
function hasRecord(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk).toString('latin1');
  return text.includes('id:') || !text.endsWith('\n');
}
