import type { HttpAnswer } from '../http-exchange.ts';
import { parseRecord } from '../json-record.ts';
import { StellarUnavailable, type SubmitOutcome, type TransactionStatus } from '../network.ts';
import {
  ledgerOutcome,
  malformedOutcome,
  outcomeOfFailure,
  outcomeOfStatus,
  unknownOutcome,
} from '../transaction/submission-outcome.ts';
import { hashEnvelope } from '../transaction/transaction.ts';
import { type HorizonClient, horizonUrl } from './horizon-client.ts';

/**
 * Hands in through `/transactions_async`: the answer comes from core’s queue at once. `/transactions` would hold a
 * connection until the ledger closes, and under load answers 504 for what is on its way; whoever settles in bulk follows
 * transactions by their hash anyhow.
 */
export async function submitToHorizon(client: HorizonClient, envelopeXdr: string): Promise<SubmitOutcome> {
  const hash = hashEnvelope(envelopeXdr, client.passphrase);
  const outcome = await handIn(client, hash, envelopeXdr);
  const isSpent = outcome.state === 'refused' && outcome.codes.transaction === 'tx_bad_seq';
  if (!isSpent) return outcome;
  // What was applied before is refused for its spent sequence number: the history says so.
  const earlier = await statusInHorizon(client, hash).catch(() => null);
  return earlier?.state === 'applied' ? earlier : outcome;
}

/** Where the transaction stands in the history that Horizon has taken in. */
export async function statusInHorizon(client: HorizonClient, hash: string): Promise<TransactionStatus> {
  // Read first: a ledger that closes between the two questions must not make “not found” look final.
  const root = await client.get('');
  if (root === null) throw new StellarUnavailable('Horizon does not say what it keeps');
  const ingested = {
    sequence: root.integer('history_latest_ledger'),
    closedAt: root.time('history_latest_ledger_closed_at'),
  };
  const found = await client.get(`transactions/${hash}`);
  if (found !== null) {
    return { state: 'applied', ...ledgerOutcome(hash, found.integer('ledger'), found.text('result_xdr')) };
  }
  return { state: 'not_found', ingested, oldest: root.integer('history_elder_ledger') };
}

async function handIn(client: HorizonClient, hash: string, envelopeXdr: string): Promise<SubmitOutcome> {
  const body = { type: 'application/x-www-form-urlencoded', text: `tx=${encodeURIComponent(envelopeXdr)}` };
  try {
    const answer = await client.http.send({ url: horizonUrl(client, 'transactions_async'), body });
    return outcomeOfAnswer(hash, answer);
  } catch (error) {
    return outcomeOfFailure(hash, error);
  }
}

function outcomeOfAnswer(hash: string, { status, text, retryAfterSeconds }: HttpAnswer): SubmitOutcome {
  const body = parseRecord(text, 'transactions_async');
  if (body?.has('tx_status')) {
    return outcomeOfStatus({ hash, status: body.text('tx_status'), resultXdr: body.optionalText('error_result_xdr') });
  }
  if (status === 400 && body?.optionalText('type')?.endsWith('transaction_malformed')) return malformedOutcome(hash);
  return unknownOutcome(hash, body === null ? 'unreadable_answer' : `http_${status}`, retryAfterSeconds);
}
