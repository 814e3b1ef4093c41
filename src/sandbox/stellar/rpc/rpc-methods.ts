import {
  LedgerCloseMeta,
  LedgerEntry,
  LedgerEntryData,
  LedgerKey,
  TransactionEvent,
  TransactionMeta,
} from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { MalformedEnvelope } from '../core/transactions/transaction.ts';
import {
  feesSince,
  ledgerBySequence,
  type TransactionWithOperations,
  transactionByHash,
  transactionsIn,
  withOperations,
} from '../history/read-history.store.ts';
import { ledgerId, positionOf } from '../history/total-order-id.ts';
import { feeDistribution } from '../horizon/records/ledger.ts';
import { entriesByKey } from '../node/ledger.store.ts';
import { decodeHeader, protocolVersion } from '../node/ledger-header.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { LedgerRow, StellarDb } from '../tables.ts';
import { eventXdr } from './contract-event.ts';
import { readFilters } from './event-filter.ts';
import { endOfLedger, feeEventOf, findEvents, type LedgerEvent, operationEventsOf } from './ledger-event.ts';
import { invalidParams, type RpcMethod, type RpcParams, readPaging } from './rpc-request.ts';

type Fields = Readonly<Record<string, unknown>>;

interface RpcDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
}

/** The oldest and the newest ledger that RPC reports. */
interface Range {
  readonly oldest: LedgerRow;
  readonly latest: LedgerRow;
}

/** The maximum number of ledgers that one search for events reads. */
const scanLedgers = 10_000;
const feeLedgers = 50;

/** The methods of Stellar RPC (protocol 23 and later) that classic payments need. */
export function createRpcMethods(deps: RpcDeps): Readonly<Record<string, RpcMethod>> {
  const { db } = deps;
  return {
    getHealth: async () => healthOf(await rangeOf(deps)),
    getNetwork: async () => ({ passphrase: testPassphrase, protocolVersion }),
    getLatestLedger: async () => latestLedger((await rangeOf(deps)).latest),
    getFeeStats: async () => await feeStatsOf(db, await rangeOf(deps)),
    getLedgerEntries: async ({ keys }) => await ledgerEntries(db, keys, await rangeOf(deps)),
    sendTransaction: async params => await sendTransaction(deps, params),
    getTransaction: async params => await getTransaction(db, params, await rangeOf(deps)),
    getTransactions: async params => await getTransactions(db, params, await rangeOf(deps)),
    getEvents: async params => await getEvents(db, params, await rangeOf(deps)),
  };
}

/**
 * Reads ledger 2 and the newest ledger. Old empty ledgers are deleted, but these two always exist. Ledger 2 contains
 * the transaction that created the network’s accounts, and the newest ledger is not old.
 */
async function rangeOf({ db, node }: RpcDeps): Promise<Range> {
  const { header } = await node.latest();
  const [oldest, latest] = [await ledgerBySequence(db, 2), await ledgerBySequence(db, header.sequence)];
  if (oldest === null || latest === null) throw new Error('the sandbox network has no history');
  return { oldest, latest };
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function healthOf({ oldest, latest }: Range): Fields {
  return {
    status: 'healthy',
    latestLedger: latest.sequence,
    oldestLedger: oldest.sequence,
    ledgerRetentionWindow: latest.sequence - oldest.sequence + 1,
  };
}

function rangeFields({ oldest, latest }: Range): Fields {
  return {
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(secondsOf(latest.closed_at)),
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: String(secondsOf(oldest.closed_at)),
  };
}

/** The newest ledger. Its meta contains the header, but not the transactions. */
function latestLedger(row: LedgerRow): Fields {
  const meta = LedgerCloseMeta.schema.encode({
    v: 0,
    v0: {
      ledgerHeader: { hash: Buffer.from(row.hash, 'hex'), header: decodeHeader(row.header_xdr), ext: { v: 0 } },
      txSet: { previousLedgerHash: Buffer.from(row.previous_hash, 'hex'), txs: [] },
      txProcessing: [],
      upgradesProcessing: [],
      scpInfo: [],
    },
  });
  return {
    id: row.hash,
    protocolVersion,
    sequence: row.sequence,
    closeTime: String(secondsOf(row.closed_at)),
    headerXdr: row.header_xdr,
    metadataXdr: base64(meta),
  };
}

async function feeStatsOf(db: StellarDb, { latest }: Range): Promise<Fields> {
  const charged = (await feesSince(db, latest.sequence - feeLedgers, latest.sequence)).map(fee => fee.charged);
  const stats = (values: readonly bigint[], ledgerCount: number) => ({
    ...feeDistribution(values.length === 0 ? [0n] : values),
    transactionCount: String(values.length),
    ledgerCount,
  });
  return {
    sorobanInclusionFee: stats([], 0),
    inclusionFee: stats(charged, Math.min(feeLedgers, latest.sequence)),
    latestLedger: latest.sequence,
  };
}

/** The maximum number of keys in a call. */
const maxKeys = 200;

async function ledgerEntries(db: StellarDb, keys: unknown, { latest }: Range): Promise<Fields> {
  if (!Array.isArray(keys)) throw invalidParams('keys must be a list');
  if (keys.length > maxKeys) throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${maxKeys})`);
  const entries = await entriesByKey(db, keys.map(canonicalKey));
  return {
    entries: entries.map(({ keyXdr, entryXdr }) => {
      const { lastModifiedLedgerSeq, data } = LedgerEntry.schema.decode(Buffer.from(entryXdr, 'base64'));
      return { key: keyXdr, xdr: base64(LedgerEntryData.schema.encode(data)), lastModifiedLedgerSeq };
    }),
    latestLedger: latest.sequence,
  };
}

function canonicalKey(text: unknown): string {
  try {
    return base64(LedgerKey.schema.encode(LedgerKey.schema.decode(Buffer.from(String(text), 'base64'))));
  } catch {
    throw invalidParams(`cannot unmarshal key value ${String(text).slice(0, 200)}`);
  }
}

async function sendTransaction({ node }: RpcDeps, { transaction }: RpcParams): Promise<Fields> {
  const { status, hash, resultXdr } = await node.submit(String(transaction ?? '')).catch(error => {
    throw error instanceof MalformedEnvelope ? invalidParams('invalid_xdr') : error;
  });
  const { header } = await node.current();
  return {
    ...(resultXdr !== null && { errorResultXdr: resultXdr }),
    status,
    hash,
    latestLedger: header.sequence,
    latestLedgerCloseTime: String(header.closeTime),
  };
}

/**
 * A transaction as RPC returns it. Its meta (`TransactionMeta` version 4) contains events, but no changes of entries.
 */
function transactionFields(transaction: TransactionWithOperations): Fields {
  const { row } = transaction;
  // Stage 0: before any transaction of the ledger is applied.
  const fee = { stage: 0, event: feeEventOf(row).event.wire };
  const operations = operationEventsOf(transaction).map(events => events.map(({ event }) => event.wire));
  const meta = TransactionMeta.schema.encode({
    v: 4,
    v4: {
      ext: { v: 0 },
      txChangesBefore: [],
      txChangesAfter: [],
      sorobanMeta: null,
      diagnosticEvents: [],
      operations: operations.map(events => ({ ext: { v: 0 }, changes: [], events })),
      events: [fee],
    },
  });
  return {
    status: row.successful ? 'SUCCESS' : 'FAILED',
    txHash: row.hash,
    applicationOrder: positionOf(row.id).transaction,
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

async function getTransaction(db: StellarDb, { hash }: RpcParams, range: Range): Promise<Fields> {
  if (typeof hash !== 'string' || !/^[0-9a-fA-F]{64}$/.test(hash)) {
    throw invalidParams(`unexpected hash length (${String(hash ?? '').length})`);
  }
  const row = await transactionByHash(db, hash.toLowerCase(), range.latest.sequence);
  const [found] = await withOperations(db, row === null ? [] : [row]);
  if (found === undefined) return { status: 'NOT_FOUND', txHash: hash, ...rangeFields(range) };
  return { ...rangeFields(range), ...transactionFields(found), createdAt: String(secondsOf(found.row.closed_at)) };
}

async function getTransactions(db: StellarDb, params: RpcParams, { oldest, latest }: Range): Promise<Fields> {
  const paging = readPaging(params, {
    oldest: oldest.sequence,
    latest: latest.sequence,
    defaultLimit: 50,
    maxLimit: 200,
  });
  if (!/^\d{0,19}$/.test(paging.cursor)) throw invalidParams('invalid cursor');
  const from = paging.cursor === '' ? ledgerId(paging.startLedger) : BigInt(paging.cursor) + 1n;
  const to = ledgerId(latest.sequence + 1);
  const rows = await transactionsIn(db, { from, to, participants: null, limit: paging.limit });
  const transactions = await withOperations(db, rows);
  return {
    transactions: transactions.map(transaction => ({
      ...transactionFields(transaction),
      createdAt: secondsOf(transaction.row.closed_at),
    })),
    latestLedger: latest.sequence,
    latestLedgerCloseTimestamp: secondsOf(latest.closed_at),
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTimestamp: secondsOf(oldest.closed_at),
    cursor: String(rows.at(-1)?.id ?? to - 1n),
  };
}

async function getEvents(db: StellarDb, params: RpcParams, range: Range): Promise<Fields> {
  const [oldest, latest] = [range.oldest.sequence, range.latest.sequence];
  const paging = readPaging(params, { oldest, latest, defaultLimit: 100, maxLimit: 10_000 });
  if (paging.cursor !== '' && !/^\d{19}-\d{10}$/.test(paging.cursor)) throw invalidParams('invalid cursor');
  const firstLedger = paging.cursor === '' ? paging.startLedger : positionOf(BigInt(paging.cursor.slice(0, 19))).ledger;
  const endLedger = Math.min(firstLedger + scanLedgers, latest + 1, paging.endLedger ?? latest + 1);
  const search = { after: paging.cursor, firstLedger, endLedger, filters: readFilters(params['filters']) };
  const events = await findEvents(db, { ...search, limit: paging.limit });
  const cursor = events.length === paging.limit ? (events.at(-1)?.id ?? '') : endOfLedger(endLedger - 1);
  return { events: events.map(eventFields), cursor, ...rangeFields(range) };
}

function eventFields({ id, event, row, operationIndex }: LedgerEvent): Fields {
  return {
    type: 'contract',
    ledger: row.ledger,
    ledgerClosedAt: `${row.closed_at.toISOString().slice(0, 19)}Z`,
    contractId: event.contractId,
    id,
    operationIndex,
    transactionIndex: positionOf(row.id).transaction,
    txHash: row.hash,
    inSuccessfulContractCall: true,
    topic: event.topics,
    value: event.value,
  };
}
