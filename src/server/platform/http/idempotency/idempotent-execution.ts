import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../db/database.ts';

/** The answer of a POST. `body` is rendered once and remembered byte for byte. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Path or URL for the `Location` header of a creation. */
  readonly location?: string;
  /** Id of the created object, for the audit view. */
  readonly resourceId?: string;
}

/** One execution of a POST. */
export interface Execution {
  /** Runs the effect in one transaction that also remembers its answer. Call it once, last, after all network calls. */
  commit(effect: (tx: Tx) => Promise<Answer>): Promise<Answer>;
}

/**
 * Runs a POST at most once per Idempotency-Key. A repeat returns the remembered answer, another body
 * is refused, and a repeat during the first call answers `idempotency_in_progress`. Without the header the POST just
 * runs. Errors of executed requests (402, 404, 409, 410, 424) are remembered, too.
 */
export type Once = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (execution: Execution) => Promise<Answer>,
) => Promise<FastifyReply>;
