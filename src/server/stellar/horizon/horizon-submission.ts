import type { HttpAnswer } from '../../platform/http-exchange.ts';
import { StellarUnavailable, type SubmitOutcome, type TransactionStatus } from '../network.ts';
import { parseRecord } from '../server-answer.ts';
import { hashEnvelope } from '../transaction/transaction.ts';
import {
  ledgerOutcome,
  malformedOutcome,
  outcomeOfStatus,
  submitEnvelope,
  unknownOutcome,
} from '../transaction/transaction-result.ts';
import { type HorizonClient, horizonUrl } from './horizon-client.ts';

/**
 * Submits by `/transactions_async`, which answers when the transaction is in the queue. `/transactions` would keep a
 * connection open until the ledger closes. Under load, it answers 504 for transactions that are still pending.
 */
export async function submitToHorizon(client: HorizonClient, envelopeXdr: string): Promise<SubmitOutcome> {
  const hash = hashEnvelope(envelopeXdr, client.passphrase);
  const body = { type: 'application/x-www-form-urlencoded', text: `tx=${encodeURIComponent(envelopeXdr)}` };
  return await submitEnvelope(
    hash,
    async () => outcomeOfAnswer(hash, await client.http.send({ url: horizonUrl(client, 'transactions_async'), body })),
    () => statusInHorizon(client, hash),
  );
}

export async function statusInHorizon(client: HorizonClient, hash: string): Promise<TransactionStatus> {
  // Read the newest ledger first. Otherwise a ledger that closes meanwhile would make “not found” look final.
  const root = await client.get('');
  if (root === null) throw new StellarUnavailable('Horizon does not report which ledgers it stores');
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

function outcomeOfAnswer(hash: string, { status, text, retryAfterSeconds }: HttpAnswer): SubmitOutcome {
  const body = parseRecord(text, 'transactions_async');
  if (body?.has('tx_status')) {
    return outcomeOfStatus(hash, body.text('tx_status'), body.optionalText('error_result_xdr'));
  }
  if (status === 400 && body?.optionalText('type')?.endsWith('transaction_malformed')) return malformedOutcome(hash);
  return unknownOutcome(hash, body === null ? 'unreadable_answer' : `http_${status}`, retryAfterSeconds);
}
