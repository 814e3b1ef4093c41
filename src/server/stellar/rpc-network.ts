import type { JsonRecord } from './json-record.ts';
import type { IngestedLedger, StellarHistory, StellarSubmission, SubmitOutcome, TransactionStatus } from './network.ts';
import { createRpcClient, type RpcClient, RpcRefusal, type RpcTarget } from './rpc-client.ts';
import { incomingFromRpc } from './rpc-history.ts';
import { ledgerOutcome, malformedOutcome, outcomeOfFailure, outcomeOfStatus } from './submission-outcome.ts';
import { hashEnvelope } from './transaction.ts';

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
