import { MalformedEnvelope } from '../../core/transactions/transaction-frame.ts';
import { envelopeHashes } from '../../history/decoded-transaction.ts';
import { transactionByHash } from '../../history/read-history.store.ts';
import type { AppliedRow, Confirmations } from '../../node/confirmations.ts';
import type { LedgerNode } from '../../node/ledger-node.ts';
import type { StellarDb } from '../../tables.ts';
import { submissionTimeout, transactionFailed, transactionMalformed } from '../http/problem.ts';
import type { HorizonRequest } from '../http/request.ts';
import type { Fields } from '../records/fields.ts';
import { resultCodes } from '../records/result-codes.ts';
import { transactionResource } from '../records/transaction.ts';

/** Takes transactions as Horizon does. */
export interface SubmissionAnswers {
  /** `POST /transactions`: answers when the transaction is in a ledger. */
  submit(request: HorizonRequest, envelopeXdr: string): Promise<Fields>;
  /** `POST /transactions_async`: answers at once what the network’s queue says. */
  submitAsync(envelopeXdr: string): Promise<AsyncAnswer>;
  /** Takes a transaction that is to be in a ledger no sooner than `ledgers` from now; resolves with its hash. */
  holdBack(envelopeXdr: string, ledgers: number): Promise<string>;
  /** What is said of a transaction whose sequence is wrong. Nothing is submitted. */
  badSequence(envelopeXdr: string): BadSequence;
}

/** A refusal for the sequence’s sake. */
interface BadSequence {
  readonly hash: string;
  readonly resultXdr: string;
  readonly codes: Fields;
}

/** What `/transactions_async` says. */
export interface AsyncAnswer {
  readonly status: number;
  readonly body: Fields;
}

/** What taking transactions stands on. */
interface SubmissionAnswerDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
}

/** How long `POST /transactions` waits for a ledger, in milliseconds. */
const patienceMs = 30_000;

/** A `TransactionResult` that says `txBAD_SEQ`, as Horizon itself gives it. */
const badSequenceXdr = 'AAAAAAAAAAD////7AAAAAA==';

/** Whatever the ledger. */
const newestPossible = 0x7fff_ffff;

const asyncStatus = { PENDING: 201, DUPLICATE: 409, TRY_AGAIN_LATER: 503, ERROR: 400 } as const;

/** Makes the answers to submissions. */
export function createSubmissionAnswers({ db, node, confirmations }: SubmissionAnswerDeps): SubmissionAnswers {
  async function inLedger(hash: string): Promise<AppliedRow | null> {
    return await transactionByHash(db, hash, newestPossible);
  }

  async function outcome(hash: string, envelopeXdr: string): Promise<AppliedRow> {
    const already = await inLedger(hash);
    if (already !== null) return already;
    const { status, resultXdr } = await node.submit(envelopeXdr);
    if (status === 'ERROR') {
      // It may have reached its ledger between the first look and the submission.
      const applied = await inLedger(hash);
      if (applied !== null) return applied;
      throw transactionFailed(envelopeXdr, resultXdr ?? '', resultCodes(resultXdr ?? '', hash));
    }
    const row = await confirmations.wait(hash, patienceMs);
    if (row === null) throw submissionTimeout(hash, envelopeXdr);
    return row;
  }

  return {
    submit: async ({ links }, envelopeXdr) => {
      const { hash } = openHashes(envelopeXdr);
      const row = await outcome(hash, envelopeXdr);
      if (!row.successful) throw transactionFailed(envelopeXdr, row.result, resultCodes(row.result, hash));
      return transactionResource(row, links, hash);
    },
    submitAsync: async envelopeXdr => {
      const { hash } = openHashes(envelopeXdr);
      const { status, resultXdr } = await node.submit(envelopeXdr);
      const error = status === 'ERROR' ? { error_result_xdr: resultXdr } : {};
      return { status: asyncStatus[status], body: { ...error, tx_status: status, hash } };
    },
    badSequence: envelopeXdr => {
      const { hash } = openHashes(envelopeXdr);
      return { hash, resultXdr: badSequenceXdr, codes: resultCodes(badSequenceXdr) };
    },
    holdBack: async (envelopeXdr, ledgers) => {
      openHashes(envelopeXdr);
      return (await node.submit(envelopeXdr, ledgers)).hash;
    },
  };
}

function openHashes(envelopeXdr: string): ReturnType<typeof envelopeHashes> {
  try {
    return envelopeHashes(envelopeXdr);
  } catch (error) {
    if (error instanceof MalformedEnvelope) throw transactionMalformed(envelopeXdr);
    throw error;
  }
}
