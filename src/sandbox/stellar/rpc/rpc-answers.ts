import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { envelopeHashes } from '../envelope-hash.ts';
import { feeDistribution } from '../horizon/fee-stats.ts';
import { feesSince, ledgerBySequence, transactionByHash } from '../horizon/horizon-history.store.ts';
import type { Fields } from '../horizon/horizon-values.ts';
import type { LedgerRow } from '../horizon/ledger-resource.ts';
import { MalformedEnvelope } from '../ledger.ts';
import { protocolVersion } from '../node/header-xdr.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { StellarDb } from '../stellar-tables.ts';
import { ledgerId } from '../total-order-id.ts';
import { readFilters } from './event-filter.ts';
import { findEvents } from './event-search.ts';
import { endOfLedger, type LedgerEvent } from './ledger-event.ts';
import { invalidParams } from './rpc-error.ts';
import { transactionsIn, withOperations } from './rpc-history.store.ts';
import { latestLedger, ledgerEntries, secondsOf } from './rpc-ledger.ts';
import { readPaging } from './rpc-paging.ts';
import { transactionDetails } from './rpc-transaction.ts';

/** Parameters of a call. */
export type RpcParams = Readonly<Record<string, unknown>>;
/** A method of the RPC. */
export type RpcMethod = (params: RpcParams) => Promise<Fields>;

/** What the RPC stands on. */
export interface RpcDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
}

/** The first and the latest ledger of which the RPC knows. */
interface Range {
  readonly oldest: LedgerRow;
  readonly latest: LedgerRow;
}

/** Ledgers that one look for events goes through. */
const scanLedgers = 10_000;
const feeLedgers = 50;

/** The methods of Stellar RPC (protocol 23 and later) that classic payments need. */
export function createRpcMethods(deps: RpcDeps): Readonly<Record<string, RpcMethod>> {
  const { db } = deps;
  return {
    getHealth: async () => healthOf(await range(deps)),
    getNetwork: async () => ({ passphrase: testPassphrase, protocolVersion }),
    getLatestLedger: async () => latestLedger((await range(deps)).latest, protocolVersion),
    getFeeStats: async () => await feeStatsOf(db, await range(deps)),
    getLedgerEntries: async ({ keys }) => await ledgerEntries(db, keys, (await range(deps)).latest.sequence),
    sendTransaction: async params => await sendTransaction(deps, params),
    getTransaction: async params => await getTransaction(db, params, await range(deps)),
    getTransactions: async params => await getTransactions(db, params, await range(deps)),
    getEvents: async params => await getEvents(db, params, await range(deps)),
  };
}

/** Both are kept: the first ledger opened the network, and the latest was just closed. */
async function range({ db, node }: RpcDeps): Promise<Range> {
  const { header } = await node.latest();
  const [oldest, latest] = [await ledgerBySequence(db, 2), await ledgerBySequence(db, header.sequence)];
  if (oldest === null || latest === null) throw new Error('the sandbox network has no history');
  return { oldest, latest };
}

function healthOf({ oldest, latest }: Range): Fields {
  return {
    status: 'healthy',
    latestLedger: latest.sequence,
    oldestLedger: oldest.sequence,
    ledgerRetentionWindow: latest.sequence - oldest.sequence + 1,
  };
}

/** Where history begins and ends, with times as text. */
function rangeFields({ oldest, latest }: Range): Fields {
  return {
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(secondsOf(latest.closed_at)),
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: String(secondsOf(oldest.closed_at)),
  };
}

async function feeStatsOf(db: StellarDb, { latest }: Range): Promise<Fields> {
  const fees = await feesSince(db, latest.sequence - feeLedgers, latest.sequence);
  const charged = fees.map(fee => fee.charged);
  const stats = (values: readonly bigint[]) => ({ ...feeDistribution(values.length === 0 ? [0n] : values) });
  const counted = (values: readonly bigint[], ledgerCount: number) => ({
    ...stats(values),
    transactionCount: String(values.length),
    ledgerCount,
  });
  return {
    sorobanInclusionFee: counted([], 0),
    inclusionFee: counted(charged, Math.min(feeLedgers, latest.sequence)),
    latestLedger: latest.sequence,
  };
}

async function sendTransaction({ node }: RpcDeps, { transaction }: RpcParams): Promise<Fields> {
  const envelope = String(transaction ?? '');
  const { hash } = hashesOf(envelope);
  const { status, resultXdr } = await node.submit(envelope);
  const { header } = await node.current();
  return {
    ...(resultXdr !== null && { errorResultXdr: resultXdr }),
    ...{ status, hash, latestLedger: header.sequence, latestLedgerCloseTime: String(header.closeTime) },
  };
}

function hashesOf(envelope: string): ReturnType<typeof envelopeHashes> {
  try {
    return envelopeHashes(envelope);
  } catch (error) {
    throw error instanceof MalformedEnvelope ? invalidParams('invalid_xdr') : error;
  }
}

async function getTransaction(db: StellarDb, { hash }: RpcParams, known: Range): Promise<Fields> {
  if (typeof hash !== 'string' || !/^[0-9a-fA-F]{64}$/.test(hash)) {
    throw invalidParams(`unexpected hash length (${String(hash ?? '').length})`);
  }
  const row = await transactionByHash(db, hash.toLowerCase(), known.latest.sequence);
  const [found] = await withOperations(db, row === null ? [] : [row]);
  if (found === undefined) return { status: 'NOT_FOUND', txHash: hash, ...rangeFields(known) };
  return { ...rangeFields(known), ...transactionDetails(found), createdAt: String(secondsOf(found.row.closed_at)) };
}

const usualTransactions = 50;
const mostTransactions = 200;

async function getTransactions(db: StellarDb, params: RpcParams, known: Range): Promise<Fields> {
  const paging = readPaging(params, known.oldest.sequence, known.latest.sequence, usualTransactions, mostTransactions);
  const cursor = paging.cursor === '' ? null : wholeNumber(paging.cursor);
  const from = cursor === null ? ledgerId(paging.startLedger) : cursor + 1n;
  const to = ledgerId(known.latest.sequence + 1);
  const rows = await transactionsIn(db, { from, to, participants: null, limit: paging.limit });
  const transactions = await withOperations(db, rows);
  return {
    transactions: transactions.map(transaction => ({
      ...transactionDetails(transaction),
      createdAt: secondsOf(transaction.row.closed_at),
    })),
    latestLedger: known.latest.sequence,
    latestLedgerCloseTimestamp: secondsOf(known.latest.closed_at),
    oldestLedger: known.oldest.sequence,
    oldestLedgerCloseTimestamp: secondsOf(known.oldest.closed_at),
    cursor: String(rows.at(-1)?.id ?? to - 1n),
  };
}

function wholeNumber(cursor: string): bigint {
  if (!/^\d{1,19}$/.test(cursor)) throw invalidParams('invalid cursor');
  return BigInt(cursor);
}

const usualEvents = 100;
const mostEvents = 10_000;

async function getEvents(db: StellarDb, params: RpcParams, known: Range): Promise<Fields> {
  const { sequence: latest } = known.latest;
  const paging = readPaging(params, known.oldest.sequence, latest, usualEvents, mostEvents);
  if (paging.cursor !== '' && !/^\d{19}-\d{10}$/.test(paging.cursor)) throw invalidParams('invalid cursor');
  const firstLedger = paging.cursor === '' ? paging.startLedger : Number(BigInt(paging.cursor.slice(0, 19)) >> 32n);
  const endLedger = Math.min(firstLedger + scanLedgers, latest + 1, paging.endLedger ?? latest + 1);
  const search = { after: paging.cursor, firstLedger, endLedger, filters: readFilters(params['filters']) };
  const events = await findEvents(db, { ...search, limit: paging.limit });
  const cursor = events.length === paging.limit ? (events.at(-1)?.id ?? '') : endOfLedger(endLedger - 1);
  return { events: events.map(shownEvent), cursor, ...rangeFields(known) };
}

function shownEvent({ id, rendered, row, operationIndex }: LedgerEvent): Fields {
  return {
    type: 'contract',
    ledger: row.ledger,
    ledgerClosedAt: `${row.closed_at.toISOString().slice(0, 19)}Z`,
    contractId: rendered.contractId,
    id,
    operationIndex,
    transactionIndex: Number((row.id >> 12n) & 0xfffffn),
    txHash: row.hash,
    inSuccessfulContractCall: true,
    topic: rendered.topics,
    value: rendered.value,
  };
}
