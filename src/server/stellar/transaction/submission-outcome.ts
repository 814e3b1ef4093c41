import { ExchangeError } from '../http-exchange.ts';
import { type LedgerOutcome, type ResultCodes, StellarUnavailable, type SubmitOutcome } from '../network.ts';
import { decodeResult } from './transaction-result.ts';

/** What a server that hands envelopes on says of one, in the words of stellar-core. */
export type CoreStatus = 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR';

/** What a server answered to an envelope: core’s word, or why there is none. */
export interface SubmitAnswer {
  readonly hash: string;
  readonly status: string;
  /** `TransactionResult`, base64; with `ERROR`. */
  readonly resultXdr: string | null;
}

/** The seconds after which a full queue is worth another try: a ledger. */
const nextLedgerSeconds = 5;

/** What each word means for whoever has handed the envelope in. */
const outcomes: Readonly<Record<CoreStatus, (answer: SubmitAnswer) => SubmitOutcome>> = {
  PENDING: ({ hash }) => ({ state: 'pending', hash }),
  // It is in the queue already, or was until just now.
  DUPLICATE: ({ hash }) => ({ state: 'pending', hash }),
  TRY_AGAIN_LATER: ({ hash }) => unknownOutcome(hash, 'try_again_later', nextLedgerSeconds),
  ERROR: ({ hash, resultXdr }) => refusal(hash, resultXdr),
};

/** The outcome of an answer; a word that core does not have is no answer. */
export function outcomeOfStatus(answer: SubmitAnswer): SubmitOutcome {
  const known = Object.hasOwn(outcomes, answer.status) ? outcomes[answer.status as CoreStatus] : null;
  return known === null ? unknownOutcome(answer.hash, 'unreadable_answer', null) : known(answer);
}

/** Codes of an error of core’s own: it says nothing about the transaction. */
const notTheTransaction = new Set(['tx_internal_error']);

function refusal(hash: string, resultXdr: string | null): SubmitOutcome {
  const codes = resultXdr === null ? null : readCodes(resultXdr);
  if (codes === null) return unknownOutcome(hash, 'unreadable_answer', null);
  if (notTheTransaction.has(codes.transaction)) return unknownOutcome(hash, codes.transaction, nextLedgerSeconds);
  return { state: 'refused', hash, codes };
}

function readCodes(resultXdr: string): ResultCodes | null {
  try {
    return decodeResult(resultXdr).codes;
  } catch {
    return null;
  }
}

/** The network’s refusal of an envelope whose bytes it cannot read. */
export function malformedOutcome(hash: string): SubmitOutcome {
  return { state: 'refused', hash, codes: { transaction: 'tx_malformed', operations: [] } };
}

/** Nobody knows. `reason` is one word. */
export function unknownOutcome(hash: string, reason: string, retryAfterSeconds: number | null): SubmitOutcome {
  return { state: 'unknown', hash, reason, retryAfterSeconds };
}

/** What is known when there was no answer, or none that can be read: nothing. Even an unmade connection may have been a proxy’s. */
export function outcomeOfFailure(hash: string, error: unknown): SubmitOutcome {
  if (error instanceof StellarUnavailable) return unknownOutcome(hash, 'unreadable_answer', error.retryAfterSeconds);
  if (error instanceof ExchangeError) return unknownOutcome(hash, error.reason, null);
  throw error;
}

/** What a transaction came to, from the ledger it is in and its `TransactionResult` (base64). */
export function ledgerOutcome(hash: string, ledger: number, resultXdr: string): LedgerOutcome {
  try {
    return { hash, ledger, resultXdr, ...decodeResult(resultXdr) };
  } catch (cause) {
    throw new StellarUnavailable(`the result of transaction ${hash} cannot be read`, { cause });
  }
}
