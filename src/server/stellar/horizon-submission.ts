import type { HttpAnswer } from '../http-exchange.ts';
import { type HorizonClient, horizonUrl } from './horizon-client.ts';
import { parseRecord } from './json-record.ts';
import { type IngestedLedger, type StellarSubmission, StellarUnavailable } from './network.ts';
import {
  ledgerOutcome,
  malformedOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
  unknownOutcome,
} from './submission-outcome.ts';
import { hashEnvelope } from './transaction.ts';

/**
 * Hands in through `/transactions_async`: the answer comes from core’s queue at once. `/transactions` would hold a
 * connection until the ledger closes, and under load answers 504 for what is on its way; whoever settles in bulk follows
 * transactions by their hash anyhow.
 */
export function createHorizonSubmission(client: HorizonClient): StellarSubmission {
  const status: StellarSubmission['status'] = async hash => {
    // Read first: a ledger that closes between the two questions must not make “not found” look final.
    const { ingested, oldest } = await readLedgers(client);
    const found = await client.get(`transactions/${hash}`);
    return found === null
      ? { state: 'not_found', ingested, oldest }
      : { state: 'applied', ...ledgerOutcome(hash, found.integer('ledger'), found.text('result_xdr')) };
  };
  return {
    passphrase: client.passphrase,
    submit: async envelopeXdr => {
      const hash = hashEnvelope(envelopeXdr, client.passphrase);
      const outcome = await handIn(client, hash, envelopeXdr);
      const isSpent = outcome.state === 'refused' && outcome.codes.transaction === 'tx_bad_seq';
      if (!isSpent) return outcome;
      // What was applied before is refused for its spent sequence number: the history says so.
      const earlier = await status(hash).catch(() => null);
      return earlier?.state === 'applied' ? earlier : outcome;
    },
    status,
    latestLedger: async () => (await readLedgers(client)).ingested,
    fees: async () => {
      const stats = await client.get('fee_stats');
      if (stats === null) throw new StellarUnavailable('Horizon has no fee statistics');
      return {
        base: stats.bigint('last_ledger_base_fee'),
        usual: stats.record('max_fee').bigint('p95'),
        capacityUsed: Number(stats.text('ledger_capacity_usage')),
      };
    },
  };
}

async function handIn(client: HorizonClient, hash: string, envelopeXdr: string) {
  const body = { type: 'application/x-www-form-urlencoded', text: `tx=${encodeURIComponent(envelopeXdr)}` };
  try {
    const answer = await client.http.send({ url: horizonUrl(client, 'transactions_async'), body });
    return outcomeOfAnswer(hash, answer);
  } catch (error) {
    return outcomeOfFailure(hash, error);
  }
}

function outcomeOfAnswer(hash: string, { status, text, retryAfterSeconds }: HttpAnswer) {
  const body = parseRecord(text, 'transactions_async');
  if (body?.has('tx_status')) {
    return outcomeOfStatus({ hash, status: body.text('tx_status'), resultXdr: body.optionalText('error_result_xdr') });
  }
  if (status === 400 && body?.optionalText('type')?.endsWith('transaction_malformed')) return malformedOutcome(hash);
  return unknownOutcome(hash, body === null ? 'unreadable_answer' : `http_${status}`, retryAfterSeconds);
}

async function readLedgers(client: HorizonClient): Promise<{ ingested: IngestedLedger; oldest: number }> {
  const [newest, root] = await Promise.all([client.list('ledgers', { order: 'desc', limit: 1 }), client.get('')]);
  const [ledger] = newest;
  if (ledger === undefined || root === null) throw new StellarUnavailable('Horizon has taken in no ledger yet');
  return {
    ingested: { sequence: ledger.integer('sequence'), closedAt: ledger.time('closed_at') },
    oldest: root.integer('history_elder_ledger'),
  };
}
