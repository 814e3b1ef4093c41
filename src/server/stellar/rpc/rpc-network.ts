import { createCache } from '../../../core/cache.ts';
import type { HttpExchange } from '../../platform/http-exchange.ts';
import { cursorLedger, fromHorizonCursor } from '../history-position.ts';
import {
  type IncomingPage,
  type IncomingPayment,
  type IngestedLedger,
  type StellarHistory,
  type StellarSubmission,
  StellarUnavailable,
  type SubmitOutcome,
  type TransactionStatus,
} from '../network.ts';
import { askServer, createNetworkCheck, type JsonRecord, parseRecord } from '../server-answer.ts';
import { hashEnvelope } from '../transaction/transaction.ts';
import { ledgerOutcome, malformedOutcome, outcomeOfStatus, submitEnvelope } from '../transaction/transaction-result.ts';
import { type AssetEvent, accountTopic, assetContract, readAssetEvent, symbolTopic } from './asset-event.ts';

/**
 * Submits and follows transactions, and reads payments, through a Stellar RPC server (stellar-rpc 23 and later). The
 * server's stellar-core must emit events for all transfers of assets (`EMIT_CLASSIC_EVENTS`), as public providers do.
 */
export function createRpcNetwork(target: RpcTarget): StellarSubmission & Pick<StellarHistory, 'incoming'> {
  const call = createRpcCall(target);
  const contracts = createCache<string>(1_000);
  const contractOf = (asset: string) => contracts(asset, () => assetContract(asset, target.passphrase));
  return {
    passphrase: target.passphrase,
    submit: async envelopeXdr => {
      const hash = hashEnvelope(envelopeXdr, target.passphrase);
      return await submitEnvelope(
        hash,
        () => sendTransaction(call, hash, envelopeXdr),
        () => readStatus(call, hash),
      );
    },
    status: hash => readStatus(call, hash),
    latestLedger: () => newestLedger(call),
    fees: async () => {
      const fees = (await call('getFeeStats')).record('inclusionFee');
      return { base: fees.bigint('min'), usual: fees.bigint('p95') };
    },
    incoming: (account, cursor, limit) => readIncoming(call, contractOf, account, cursor, limit),
  };
}

const invalidParameters = -32_602;

async function sendTransaction(call: RpcCall, hash: string, transaction: string): Promise<SubmitOutcome> {
  try {
    const answer = await call('sendTransaction', { transaction });
    return outcomeOfStatus(hash, answer.text('status'), answer.optionalText('errorResultXdr'));
  } catch (error) {
    if (error instanceof RpcRefusal && error.code === invalidParameters) return malformedOutcome(hash);
    throw error;
  }
}

async function readStatus(call: RpcCall, hash: string): Promise<TransactionStatus> {
  // Read the newest ledger first. Otherwise a ledger that closes meanwhile would make “not found” look final.
  const ingested = await newestLedger(call);
  const answer = await call('getTransaction', { hash });
  if (answer.text('status') === 'NOT_FOUND') {
    return { state: 'not_found', ingested, oldest: answer.integer('oldestLedger') };
  }
  return { state: 'applied', ...ledgerOutcome(hash, answer.integer('ledger'), answer.text('resultXdr')) };
}

/** The newest ledger. In every version of RPC, only the answer about a missing transaction has the ledger's time. */
async function newestLedger(call: RpcCall): Promise<IngestedLedger> {
  const answer = await call('getTransaction', { hash: '0'.repeat(64) });
  return {
    sequence: answer.integer('latestLedger'),
    closedAt: new Date(answer.integer('latestLedgerCloseTime') * 1000),
  };
}

/** The smallest page size. Few transactions have more events of one account. */
const leastEvents = 1_000;

/** Reads payments from the events of assets' own contracts. */
async function readIncoming(
  call: RpcCall,
  contractOf: (asset: string) => string,
  account: string,
  after: string | null,
  wanted: number,
): Promise<IncomingPage> {
  const start =
    after === null
      ? { startLedger: (await call('getHealth')).integer('oldestLedger') + 1 }
      : { cursor: fromHorizonCursor(after) };
  const { events, cursor, more } = await readTransactions(call, account, start, Math.max(wanted, leastEvents));
  return { payments: paymentsOf(contractOf, account, events), cursor, more };
}

/** Where the server starts its search. */
type EventStart = { readonly startLedger: number } | { readonly cursor: string };

/** Reads the events of whole transactions. Reads on while it has only a part of one transaction. */
async function readTransactions(call: RpcCall, account: string, start: EventStart, limit: number) {
  const events: JsonRecord[] = [];
  let from = start;
  for (;;) {
    const answer = await call('getEvents', {
      ...('startLedger' in from && from),
      filters: [{ type: 'contract', topics: topicsOf(account) }],
      pagination: { limit, ...('cursor' in from && from) },
    });
    const found = answer.list('events');
    events.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < limit) {
      const cursor = answer.text('cursor');
      // A server searches a limited number of ledgers in one call, even if those ledgers have no events.
      return { events, cursor, more: cursorLedger(cursor) < answer.integer('latestLedger') };
    }
    const whole = withoutLastTransaction(events);
    const end = whole.at(-1);
    if (end !== undefined) return { events: whole, cursor: end.text('id'), more: true };
    from = { cursor: last.text('id') };
  }
}

/** Topic filters for payments to the account and from the account. `paymentsOf` needs both directions. */
function topicsOf(account: string): string[][] {
  const [transfer, mint, self] = [symbolTopic('transfer'), symbolTopic('mint'), accountTopic(account)];
  return [
    [transfer, '*', self, '*'],
    [transfer, self, '*', '*'],
    [mint, self, '*'],
  ];
}

/** Omits the last transaction of a full page, whose events may continue. The next page begins with that transaction. */
function withoutLastTransaction(events: readonly JsonRecord[]): readonly JsonRecord[] {
  const last = events.at(-1)?.text('txHash');
  return events.filter(event => event.text('txHash') !== last);
}

interface FoundEvent {
  readonly record: JsonRecord;
  readonly event: AssetEvent;
}

/** Payments to the account. Omits operations that also send from the account, because they are its own conversions. */
function paymentsOf(
  contractOf: (asset: string) => string,
  account: string,
  events: readonly JsonRecord[],
): IncomingPayment[] {
  const found = events.flatMap((record): FoundEvent[] => {
    const isReverted = record.has('inSuccessfulContractCall') && !record.boolean('inSuccessfulContractCall');
    if (isReverted) return [];
    const [contractId, value] = [record.text('contractId'), record.text('value')];
    const event = readAssetEvent({ contractId, value, topics: record.texts('topic') }, contractOf);
    return event === null ? [] : [{ record, event }];
  });
  const operations = Map.groupBy(found, ({ record }) => `${record.text('txHash')}:${record.integer('operationIndex')}`);
  return [...operations.values()]
    .filter(transfers => transfers.every(({ event }) => event.from !== account))
    .flatMap(transfers => transfers.map((transfer, index) => paymentOf(account, transfer, index)));
}

function paymentOf(account: string, { record, event }: FoundEvent, index: number): IncomingPayment {
  return {
    cursor: record.text('id'),
    transactionHash: record.text('txHash'),
    // A contract call is the only operation of its transaction, but can make several transfers.
    operationIndex: record.integer('operationIndex') + index,
    ledger: record.integer('ledger'),
    ...event,
    fromMuxedId: null,
    to: account,
    createdAt: record.time('ledgerClosedAt'),
  };
}

/** A Stellar RPC server, and the network that it must belong to. */
export interface RpcTarget {
  readonly url: string;
  readonly passphrase: string;
  readonly http: HttpExchange;
}

/** Calls a method (JSON-RPC 2.0). Throws `RpcRefusal` for an error answer, or `StellarUnavailable` without one. */
type RpcCall = (method: string, params?: object) => Promise<JsonRecord>;

/** The server answered with an error. `code` is the JSON-RPC error code, such as -32602 for invalid parameters. */
class RpcRefusal extends StellarUnavailable {
  readonly code: number;
  constructor(code: number, message: string) {
    super(`Stellar RPC refuses: ${message} (${code})`);
    this.name = 'RpcRefusal';
    this.code = code;
  }
}

/** Creates the function that calls the server. Its first call checks that the server belongs to the network. */
function createRpcCall(target: RpcTarget): RpcCall {
  const check = createNetworkCheck('server at PAY_STELLAR_RPC_URL', target.passphrase, async () =>
    (await send(target, 'getNetwork')).text('passphrase'),
  );
  return async (method, params) => {
    await check();
    return await send(target, method, params);
  };
}

async function send({ url, http }: RpcTarget, method: string, params?: object): Promise<JsonRecord> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
  const request = { url: new URL(url), body: { type: 'application/json', text } };
  const answer = await askServer(http, 'Stellar RPC', request);
  const body = parseRecord(answer.text, method);
  if (body?.has('error')) {
    const error = body.record('error');
    throw new RpcRefusal(errorCode(answer.text), error.optionalText('message') ?? 'without a word');
  }
  if (answer.status === 200 && body !== null) return body.record('result');
  throw new StellarUnavailable(`Stellar RPC answers ${answer.status}${body === null ? ' without JSON' : ''}`, {
    retryAfterSeconds: answer.retryAfterSeconds,
  });
}

/** Reads the error code from the answer's text. The code is negative, and `JsonRecord` reads no negative numbers. */
function errorCode(text: string): number {
  return Number(/"code"\s*:\s*(-?\d{1,6})/.exec(text)?.[1] ?? 0);
}
