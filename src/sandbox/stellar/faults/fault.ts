import { type Static, Type } from 'typebox';

/** Faults of submitted transactions. */
export const submissionFaults = ['timeout_after_apply', 'timeout_before_apply', 'bad_sequence', 'duplicate'] as const;

/** Faults of streams. */
export const streamFaults = ['stream_dropped', 'stream_silent'] as const;

/** Faults of all requests. */
export const generalFaults = [
  'rate_limited',
  'unavailable',
  'connection_reset',
  'silence',
  'html',
  'truncated',
] as const;

/**
 * Faults between a client and Horizon.
 * - Submissions: `timeout_after_apply` answers 504 after the transaction is applied. `timeout_before_apply` answers 504
 *   at once and applies the transaction `ledgers` ledgers later. `bad_sequence` answers `tx_bad_seq` and submits
 *   nothing. `duplicate` submits the transaction, but answers 409 `DUPLICATE`.
 * - Reads: `stale` shows the network as it was `ledgers` ledgers ago. `history_gone` answers 410 to a list with a
 *   cursor.
 * - Streams: `stream_dropped` breaks the connection after the first messages. `stream_silent` sends only the first
 *   message, `hello`.
 * - All requests: `rate_limited` answers 429, `unavailable` 503, and `html` 502 with an HTML page. `silence` sends
 *   nothing and closes the connection after 30 s. `connection_reset` closes the connection at once. These faults ignore
 *   a submission unless `applied` is true. `truncated` always applies a submission, and answers half of the JSON.
 */
const faultKinds = [...submissionFaults, 'stale', 'history_gone', ...streamFaults, ...generalFaults] as const;

export type FaultKind = (typeof faultKinds)[number];

export const Fault = Type.Object(
  {
    fault: Type.Union(
      faultKinds.map(kind => Type.Literal(kind)),
      { description: 'The kind of fault.' },
    ),
    path: Type.Optional(
      Type.String({ maxLength: 200, description: 'Prefix of the affected Horizon paths. Default: all paths.' }),
    ),
    probability: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Probability of the fault for each request. Default: 1.' }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Number of times that the fault occurs. Default: unlimited.',
      }),
    ),
    ledgers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Number of ledgers that the transaction is late, or the data is old. Default: 2.',
      }),
    ),
    applied: Type.Optional(
      Type.Boolean({ description: 'Whether a submission is applied despite the fault. Default: false.' }),
    ),
  },
  { additionalProperties: false },
);
export type Fault = Static<typeof Fault>;

/** The default of the fault’s `ledgers`. */
export const usualLedgers = 2;

/** An active fault. */
export interface SwitchedFault {
  readonly id: number;
  readonly fault: Fault;
  /** Remaining occurrences. Null: unlimited. */
  readonly remaining: number | null;
}
