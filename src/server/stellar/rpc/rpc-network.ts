import { cursorLedger, fromHorizonCursor } from '../history-position.ts';
import type { JsonRecord } from '../json-record.ts';
import type {
  IncomingPage,
  IncomingPayment,
  IngestedLedger,
  StellarHistory,
  StellarSubmission,
  SubmitOutcome,
  TransactionStatus,
} from '../network.ts';
import {
  ledgerOutcome,
  malformedOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
} from '../transaction/submission-outcome.ts';
import { hashEnvelope } from '../transaction/transaction.ts';
import { type AssetEvent, accountTopic, assetContract, readAssetEvent, symbolTopic } from './asset-event.ts';
import { createRpcClient, type RpcClient, RpcRefusal, type RpcTarget } from './rpc-client.ts';

/** What a Stellar RPC can do of a network. */
export type RpcNetwork = StellarSubmission & Pick<StellarHistory, 'incoming'>;

/**
 * Hands in and follows transactions, and reads payments, through a Stellar RPC (stellar-rpc 23 and later). Its core must
 * emit events for all movements of assets (`EMIT_CLASSIC_EVENTS`), as those of providers do.
 */
export function createRpcNetwork(target: RpcTarget): RpcNetwork {
  const client = createRpcClient(target);
  return {
    passphrase: target.passphrase,
    submit: async envelopeXdr => {
      const hash = hashEnvelope(envelopeXdr, target.passphrase);
      const outcome = await handIn(client, hash, envelopeXdr);
      const isSpent = outcome.state === 'refused' && outcome.codes.transaction === 'tx_bad_seq';
      if (!isSpent) return outcome;
      // What was applied before is refused for its spent sequence number: the history says so.
      const earlier = await readStatus(client, hash).catch(() => null);
      return earlier?.state === 'applied' ? earlier : outcome;
    },
    status: hash => readStatus(client, hash),
    // The one small answer that has the ledger’s time in every version; there is no such transaction.
    latestLedger: async () => newestIn(await client.call('getTransaction', { hash: '0'.repeat(64) })),
    fees: async () => {
      const fees = (await client.call('getFeeStats')).record('inclusionFee');
      return { base: fees.bigint('min'), usual: fees.bigint('p95') };
    },
    incoming: (account, cursor, limit) => incomingFromRpc(client, { account, cursor, limit }),
  };
}

const invalidParameters = -32_602;

async function handIn(client: RpcClient, hash: string, transaction: string): Promise<SubmitOutcome> {
  try {
    const answer = await client.call('sendTransaction', { transaction });
    return outcomeOfStatus({ hash, status: answer.text('status'), resultXdr: answer.optionalText('errorResultXdr') });
  } catch (error) {
    if (error instanceof RpcRefusal && error.code === invalidParameters) return malformedOutcome(hash);
    return outcomeOfFailure(hash, error);
  }
}

/** Read first: the ledger that an answer names is read after the transaction was looked for, and may hold it. */
async function readStatus(client: RpcClient, hash: string): Promise<TransactionStatus> {
  const before = newestIn(await client.call('getTransaction', { hash: '0'.repeat(64) }));
  const answer = await client.call('getTransaction', { hash });
  if (answer.text('status') === 'NOT_FOUND') {
    return { state: 'not_found', ingested: before, oldest: answer.integer('oldestLedger') };
  }
  return { state: 'applied', ...ledgerOutcome(hash, answer.integer('ledger'), answer.text('resultXdr')) };
}

function newestIn(answer: JsonRecord): IngestedLedger {
  return {
    sequence: answer.integer('latestLedger'),
    closedAt: new Date(answer.integer('latestLedgerCloseTime') * 1000),
  };
}

/** Which events of an account are asked for. */
interface HistoryRequest {
  readonly account: string;
  readonly cursor: string | null;
  readonly limit: number;
}

/** A page has at least so many events: more than a transaction can have of one account, so that none is longer than a page. */
const leastEvents = 1_000;

/**
 * Money that reached an account by the events of assets’ own contracts. An operation by which the account also sends is
 * one of its own (a conversion on its way somewhere) and brings nothing.
 */
async function incomingFromRpc(client: RpcClient, request: HistoryRequest): Promise<IncomingPage> {
  const limit = Math.max(request.limit, leastEvents);
  const start =
    request.cursor === null
      ? { startLedger: (await client.call('getHealth')).integer('oldestLedger') + 1 }
      : { cursor: fromHorizonCursor(request.cursor) };
  const answer = await client.call('getEvents', {
    ...('startLedger' in start && start),
    filters: [{ type: 'contract', topics: topicsOf(request.account) }],
    pagination: { limit, ...('cursor' in start && start) },
  });
  const events = answer.list('events');
  const isFull = events.length >= limit;
  const whole = isFull ? withoutLastTransaction(events) : events;
  const cursor = isFull ? (whole.at(-1)?.text('id') ?? '') : answer.text('cursor');
  return {
    payments: paymentsOf(client, request.account, whole),
    cursor,
    // A server looks through so many ledgers at a time, whether they hold anything or not.
    more: isFull || cursorLedger(cursor) < answer.integer('latestLedger'),
  };
}

/** Money to the account, and money from it, since an operation with both is its own. */
function topicsOf(account: string): string[][] {
  const [transfer, mint, self] = [symbolTopic('transfer'), symbolTopic('mint'), accountTopic(account)];
  return [
    [transfer, '*', self, '*'],
    [transfer, self, '*', '*'],
    [mint, self, '*'],
  ];
}

/** The last transaction of a full page may go on behind it: the next page begins with it. */
function withoutLastTransaction(events: readonly JsonRecord[]): readonly JsonRecord[] {
  const last = events.at(-1)?.text('txHash');
  return events.filter(event => event.text('txHash') !== last);
}

function paymentsOf(client: RpcClient, account: string, events: readonly JsonRecord[]): IncomingPayment[] {
  const contractOf = rememberedContracts(client.passphrase);
  const operations = new Map<string, { readonly record: JsonRecord; readonly event: AssetEvent }[]>();
  for (const record of events) {
    // Events of failed calls have happened to nobody.
    if (record.has('inSuccessfulContractCall') && !record.boolean('inSuccessfulContractCall')) continue;
    const [contractId, value] = [record.text('contractId'), record.text('value')];
    const event = readAssetEvent({ contractId, value, topics: record.texts('topic') }, contractOf);
    if (event === null) continue;
    const operation = `${record.text('txHash')}:${record.integer('operationIndex')}`;
    const known = operations.get(operation);
    if (known === undefined) operations.set(operation, [{ record, event }]);
    else known.push({ record, event });
  }
  return [...operations.values()].flatMap(found => {
    if (found.some(({ event }) => event.from === account)) return [];
    // A contract may say that it sent nothing.
    const sent = found.filter(({ event }) => event.amount > 0n);
    return sent.map(({ record, event }, index) => paymentOf(account, record, event, index));
  });
}

function paymentOf(account: string, record: JsonRecord, event: AssetEvent, index: number): IncomingPayment {
  return {
    cursor: record.text('id'),
    transactionHash: record.text('txHash'),
    // A contract call is its transaction’s only operation, but may send several times.
    operationIndex: record.integer('operationIndex') + index,
    ledger: record.integer('ledger'),
    kind: event.isBalance ? 'claimed_balance' : 'payment',
    from: event.from,
    fromMuxedId: null,
    to: account,
    toMuxedId: event.toMuxedId,
    memo: event.memo,
    asset: event.asset,
    amount: event.amount,
    createdAt: record.time('ledgerClosedAt'),
  };
}

function rememberedContracts(passphrase: string): (asset: string) => string {
  const known = new Map<string, string>();
  return asset => {
    const contract = known.get(asset) ?? assetContract(asset, passphrase);
    known.set(asset, contract);
    return contract;
  };
}
