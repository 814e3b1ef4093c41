import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../db/database.ts';
import type { Claim, ClaimedAnswer, IdempotencyScope } from './idempotency.store.ts';

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
  /** The key that the work's first write must claim, for `claimSeconds`. Null without a key, and after the claim. */
  readonly unclaimed: IdempotencyScope | null;
  /** Reports the claim of `unclaimed`. Null means that the key was not free: the call ends with the stored answer. */
  hold(claim: Claim | null): void;
  /** Renders the answer for a write that stores `kept` by `keepingOf`. `kept` is null without a key. */
  render(answer: Answer): { readonly sent: RenderedAnswer; readonly kept: ClaimedAnswer | null };
}

/**
 * When the call claims its key. `first`: before the work. `with_write`: in the transaction of `commit`, or in the
 * work's own first write (`unclaimed`). The work must have no effect before that write. A repetition during the first
 * call then waits for the first call's answer.
 */
export type ClaimTime = 'first' | 'with_write';

/**
 * Runs a POST at most once per Idempotency-Key. A repetition gets the stored answer. Another body is refused, and a
 * repetition during the first call gets `idempotency_in_progress`. Without the header, the POST simply runs. Errors of
 * executed requests (402, 404, 409, 410, 424) are stored, too. A `RenderedAnswer` is one that the work has stored.
 */
export type Once = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (execution: Execution) => Promise<Answer | RenderedAnswer>,
  claims?: ClaimTime,
) => Promise<FastifyReply>;
