import { MalformedEnvelope } from '../../core/transactions/transaction.ts';
import { transactionHash } from '../../history/decoded-transaction.ts';
import { transactionByHash } from '../../history/read-history.store.ts';
import type { Confirmations } from '../../node/confirmations.ts';
import type { LedgerNode } from '../../node/ledger-node.ts';
import type { StellarDb, TransactionRow } from '../../tables.ts';
import { submissionTimeout, transactionFailed, transactionMalformed } from '../http/problem.ts';
import type { HorizonRequest } from '../http/request.ts';
import type { Fields } from '../records/fields.ts';
import { resultCodes } from '../records/result-codes.ts';
import { transactionRecord } from '../records/transaction.ts';

/** Horizon’s submission of transactions. Each method throws a problem for a malformed envelope. */
export interface SubmissionAnswers {
  /**
   * `POST /transactions`: answers when the transaction is in a ledger. Throws a problem if the transaction is refused
   * or fails, or after 30 seconds.
   */
  submit(request: HorizonRequest, envelopeXdr: string): Promise<Fields>;
  /** `POST /transactions_async`: answers at once whether the transaction is queued. */
  submitAsync(envelopeXdr: string): Promise<StatusAnswer>;
  /** Submits a transaction, which is checked after `ledgers` more ledgers. */
  submitLater(envelopeXdr: string, ledgers: number): Promise<void>;
  /** The answer to a transaction with a bad sequence number. Nothing is submitted. */
  badSequence(envelopeXdr: string): { readonly hash: string; readonly resultXdr: string; readonly codes: Fields };
}

/** An answer with its HTTP status. */
export interface StatusAnswer {
  readonly status: number;
  readonly body: Fields;
}

interface SubmissionDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
}

/** The timeout of `POST /transactions`, in milliseconds. */
const timeoutMs = 30_000;

/** A `TransactionResult` with `txBAD_SEQ`. */
const badSequenceXdr = 'AAAAAAAAAAD////7AAAAAA==';

const asyncStatus = { PENDING: 201, DUPLICATE: 409, TRY_AGAIN_LATER: 503, ERROR: 400 } as const;

export function createSubmissionAnswers({ db, node, confirmations }: SubmissionDeps): SubmissionAnswers {
  async function outcome(hash: string, envelopeXdr: string): Promise<TransactionRow> {
    const already = await transactionByHash(db, hash);
    if (already !== null) return already;
    const { status, resultXdr } = await node.submit(envelopeXdr);
    if (status === 'ERROR') {
      // The transaction may have been applied after the first lookup.
      const applied = await transactionByHash(db, hash);
      if (applied !== null) return applied;
      throw transactionFailed(envelopeXdr, resultXdr ?? '', resultCodes(resultXdr ?? '', hash));
    }
    const row = await confirmations.wait(hash, timeoutMs);
    if (row === null) throw submissionTimeout(hash, envelopeXdr);
    return row;
  }

  return {
    submit: async ({ links }, envelopeXdr) => {
      const hash = hashOf(envelopeXdr);
      const row = await outcome(hash, envelopeXdr);
      if (!row.successful) throw transactionFailed(envelopeXdr, row.result, resultCodes(row.result, hash));
      return transactionRecord(row, links, hash);
    },
    submitAsync: async envelopeXdr => {
      const hash = hashOf(envelopeXdr);
      const { status, resultXdr } = await node.submit(envelopeXdr);
      const error = status === 'ERROR' ? { error_result_xdr: resultXdr } : {};
      return { status: asyncStatus[status], body: { ...error, tx_status: status, hash } };
    },
    badSequence: envelopeXdr => ({
      hash: hashOf(envelopeXdr),
      resultXdr: badSequenceXdr,
      codes: resultCodes(badSequenceXdr),
    }),
    submitLater: async (envelopeXdr, ledgers) => {
      hashOf(envelopeXdr);
      await node.submit(envelopeXdr, ledgers);
    },
  };
}

function hashOf(envelopeXdr: string): string {
  try {
    return transactionHash(envelopeXdr);
  } catch (error) {
    throw error instanceof MalformedEnvelope ? transactionMalformed(envelopeXdr) : error;
  }
}
