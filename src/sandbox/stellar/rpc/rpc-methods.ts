import {
  LedgerCloseMeta,
  LedgerEntry,
  LedgerEntryData,
  LedgerHeader,
  LedgerKey,
  TransactionEvent,
  TransactionMeta,
} from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { MalformedEnvelope } from '../core/transactions/transaction-frame.ts';
import { envelopeHashes } from '../history/decoded-transaction.ts';
import {
  feesSince,
  ledgerBySequence,
  type TransactionWithOperations,
  transactionByHash,
  transactionsIn,
  withOperations,
} from '../history/read-history.store.ts';
import { ledgerId, placeOf } from '../history/total-order-id.ts';
import type { Fields } from '../horizon/records/fields.ts';
import { feeDistribution } from '../horizon/records/ledger.ts';
import { entriesByKey } from '../node/ledger.store.ts';
import { protocolVersion } from '../node/ledger-header.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { LedgerRow, StellarDb } from '../tables.ts';
import { eventXdr } from './contract-event.ts';
import { readFilters } from './event-filter.ts';
import { endOfLedger, feeEventOf, findEvents, type LedgerEvent, operationEventsOf } from './ledger-event.ts';
import { invalidParams, type RpcParams, readPaging } from './rpc-request.ts';

/** A method of the RPC. */
export type RpcMethod = (params: RpcParams) => Promise<Fields>;

/** What the RPC stands on. */
interface RpcDeps {
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

/** The latest ledger as RPC shows it. The meta holds its header; what it applied is asked for by transaction. */
function latestLedger(row: LedgerRow, protocolVersion: number): Fields {
  const header = LedgerHeader.schema.decode(Buffer.from(row.header_xdr, 'base64'));
  const meta = LedgerCloseMeta.schema.encode({
    v: 0,
    v0: {
      ledgerHeader: { hash: Buffer.from(row.hash, 'hex'), header, ext: { v: 0 } },
      txSet: { previousLedgerHash: Buffer.from(row.previous_hash, 'hex'), txs: [] },
      ...{ txProcessing: [], upgradesProcessing: [], scpInfo: [] },
    },
  });
  return {
    id: row.hash,
    protocolVersion,
    sequence: row.sequence,
    closeTime: String(secondsOf(row.closed_at)),
    headerXdr: row.header_xdr,
    metadataXdr: Buffer.from(meta).toString('base64'),
  };
}

/** Seconds since 1970. */
function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** Keys that one call may ask for. */
const mostKeys = 200;

/** `getLedgerEntries`: the entries with the keys (`LedgerKey`, base64) that are there. */
async function ledgerEntries(db: StellarDb, keys: unknown, sequence: number): Promise<Fields> {
  if (!Array.isArray(keys)) throw invalidParams('keys must be a list');
  if (keys.length > mostKeys) throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${mostKeys})`);
  const entries = await entriesByKey(db, keys.map(canonicalKey));
  return {
    entries: entries.map(({ keyXdr, entryXdr }) => {
      const { lastModifiedLedgerSeq, data } = LedgerEntry.schema.decode(Buffer.from(entryXdr, 'base64'));
      const xdr = Buffer.from(LedgerEntryData.schema.encode(data)).toString('base64');
      return { key: keyXdr, xdr, lastModifiedLedgerSeq };
    }),
    latestLedger: sequence,
  };
}

function canonicalKey(text: unknown): string {
  try {
    const key = LedgerKey.schema.decode(Buffer.from(String(text), 'base64'));
    return Buffer.from(LedgerKey.schema.encode(key)).toString('base64');
  } catch {
    throw invalidParams(`cannot unmarshal key value ${String(text).slice(0, 200)}`);
  }
}

/** Stage of an event of which the fee is one: before any transaction of the ledger is applied. */
const beforeAll = 0;

/**
 * A transaction as RPC shows it. Its meta (`TransactionMeta` version 4) tells the events of what moved; changes of
 * entries are not in it.
 */
function transactionDetails(transaction: TransactionWithOperations): Fields {
  const { row } = transaction;
  const fee = { stage: beforeAll, event: feeEventOf(row).rendered.wire };
  const operations = operationEventsOf(transaction).map(events => events.map(({ rendered }) => rendered.wire));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const meta = TransactionMeta.schema.encode({
    v: 4,
    v4: {
      ext: { v: 0 },
      ...{ txChangesBefore: [], txChangesAfter: [], sorobanMeta: null, diagnosticEvents: [] },
      operations: operations.map(events => ({ ext: { v: 0 }, changes: [], events })),
      events: [fee],
    },
  });
  return {
    status: row.successful ? 'SUCCESS' : 'FAILED',
    txHash: row.hash,
    applicationOrder: placeOf(row.id).transaction,
    feeBump: row.inner_hash !== null,
    envelopeXdr: row.envelope,
    resultXdr: row.result,
    resultMetaXdr: base64(meta),
    ledger: row.ledger,
    events: {
      transactionEventsXdr: [base64(TransactionEvent.schema.encode(fee))],
      contractEventsXdr: operations.map(events => events.map(eventXdr)),
    },
  };
}
