import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../db/database.ts';
import type { Claim, ClaimedAnswer, IdempotencyScope, UnclaimedAnswer } from './idempotency.store.ts';

/** Seconds for which a call claims its key. A running call renews its claim, so a claim that ends shows a crash. */
export const claimSeconds = 9;

/** The answer of a POST. `body` is rendered once, and repetitions get the same bytes. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Path or URL for the `Location` header of a creation. */
  readonly location?: string;
  /** Id of the object that the call created or changed, for the view `audit_idempotency`. */
  readonly resourceId?: string;
}

/** An answer as it is sent to the client. */
export interface RenderedAnswer {
  readonly status: number;
  readonly location: string | null;
  /** The body's JSON text. */
  readonly text: string;
}

/** One execution of a POST. */
export interface Execution {
  /** The attempt that a crashed call with the same key has started (see `started`), or null. */
  readonly resumedId: string | null;
  /** Stores the id of an attempt in the transaction that starts it. A retry after a crash continues that attempt. */
  started(tx: Tx, id: string): Promise<void>;
  /** Runs the effect in one transaction that also stores its answer. Call this once, last, after all network calls. */
  commit(effect: (tx: Tx) => Promise<Answer>): Promise<Answer>;
}

/**
 * Runs a POST at most once per Idempotency-Key. A repetition gets the stored answer. Another body is refused, and a
 * repetition during the first call gets `idempotency_in_progress`. Without the header, the POST simply runs. Errors of
 * executed requests (402, 404, 409, 410, 424) are stored, too.
 */
export type Once = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (execution: Execution) => Promise<Answer>,
) => Promise<FastifyReply>;

/** The answer of a call with one write, as it is sent and as it is stored. */
export interface OnlyAnswer {
  readonly sent: RenderedAnswer;
  readonly kept: UnclaimedAnswer | null;
}

/**
 * A POST that writes together with other calls. Its first write claims its key, and its last write stores its answer.
 * One write may do both.
 */
export interface GroupedCall {
  /** The key that the first write must claim, for `claimSeconds`. Null without a key, and after `hold`. */
  readonly unclaimed: IdempotencyScope | null;
  /** Claims the key in its own commit, for a call whose first write is at another service. */
  claimFirst(): Promise<void>;
  /** Reports the claim. Null means that the key was not free: the call ends with the stored answer. */
  hold(claim: Claim | null): void;
  /** Stores the id of another attempt in the transaction that starts it, as `Execution.started` does. */
  started(tx: Tx, id: string): Promise<void>;
  /** Renders the answer. The last write stores `kept` by `keepingOf`. `kept` is null without a key. */
  render(answer: Answer): { readonly sent: RenderedAnswer; readonly kept: ClaimedAnswer | null };
  /** Renders the answer of a call with one write. That write claims the key and stores `kept` by `keepingUnclaimed`. */
  renderOnce(answer: Answer): OnlyAnswer;
}

/** Like `Once`, for work that shares its transactions with other calls. */
export type OnceGrouped = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (call: GroupedCall) => Promise<RenderedAnswer>,
) => Promise<FastifyReply>;

/**
 * Like `Once`, for work whose only effect is one transaction, which also claims the key. `prepare` only reads. A
 * repetition during the first call waits for the first call's answer.
 */
export type OnceInTransaction = (
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => Promise<(tx: Tx) => Promise<Answer>>,
) => Promise<FastifyReply>;
