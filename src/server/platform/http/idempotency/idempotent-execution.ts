import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../db/database.ts';

/** What a POST answers. `body` is rendered once and remembered byte for byte. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Path or URL for the `Location` header of a creation. */
  readonly location?: string;
  /** The object made, for the audit view. */
  readonly resourceId?: string;
}

/** One execution of a POST. */
export interface Execution {
  /**
   * Runs the effect in one database transaction and remembers its answer under the Idempotency-Key in the same
   * transaction, so that neither can exist without the other. Call it once, last; network calls belong before it.
   */
  commit(effect: (tx: Tx) => Promise<Answer>): Promise<Answer>;
}

/**
 * Runs a POST at most once per Idempotency-Key (wire contract §1): a repeat with the same body is answered from
 * memory, one with another body is refused, one that meets a running first call answers `idempotency_in_progress`.
 * Without the header it just runs. Also remembers errors of executed requests (402, 404, 409, 410, 424).
 */
export type Once = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (execution: Execution) => Promise<Answer>,
) => Promise<FastifyReply>;
