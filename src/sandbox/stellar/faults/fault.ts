import { type Static, Type } from 'typebox';

/**
 * Faults between a client and Horizon.
 * Submissions: `timeout_after_apply` answers 504 when the transaction is in a ledger; `timeout_before_apply` answers 504
 * at once and applies it `ledgers` later; `bad_sequence` refuses it with `tx_bad_seq`; `duplicate` accepts it and
 * reports a duplicate.
 * Reads: `stale` shows the network of `ledgers` ago; `history_gone` answers 410 to a list with a cursor.
 * Streams: `stream_dropped` breaks the connection after the first messages; `stream_silent` sends nothing after hello.
 * All: `rate_limited` (429), `unavailable` (503), `connection_reset` (after the request is read), `silence` (no answer
 * for 30 s), `html` (502 with a page), `truncated` (half of the JSON). With `applied` these faults do not stop a
 * submission.
 */
const faultKinds = [
  'timeout_after_apply',
  'timeout_before_apply',
  'bad_sequence',
  'duplicate',
  'stale',
  'history_gone',
  'stream_dropped',
  'stream_silent',
  'rate_limited',
  'unavailable',
  'connection_reset',
  'silence',
  'html',
  'truncated',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export const Fault = Type.Object(
  {
    fault: Type.Union(
      faultKinds.map(kind => Type.Literal(kind)),
      { description: 'What goes wrong' },
    ),
    path: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only paths of Horizon that begin like this; all when left out' }),
    ),
    probability: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'How often it happens; always when left out' }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'How many times it happens; without end when left out',
      }),
    ),
    ledgers: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many ledgers later, or ago; 2 when left out' }),
    ),
    applied: Type.Optional(
      Type.Boolean({ description: 'Whether a submission gets through all the same; false when left out' }),
    ),
  },
  { additionalProperties: false },
);
export type Fault = Static<typeof Fault>;

/** The default of `ledgers`. */
export const usualLedgers = 2;

/** Faults of all requests. */
export const generalFaults: readonly FaultKind[] = [
  'rate_limited',
  'unavailable',
  'connection_reset',
  'silence',
  'html',
  'truncated',
];

/** Faults of submissions. */
export const submissionFaults: readonly FaultKind[] = [
  'timeout_after_apply',
  'timeout_before_apply',
  'bad_sequence',
  'duplicate',
];

/** Faults of streams. */
export const streamFaults: readonly FaultKind[] = ['stream_dropped', 'stream_silent'];

/** An active fault. */
export interface SwitchedFault {
  readonly id: number;
  readonly fault: Fault;
  /** Remaining occurrences; null: unlimited. */
  readonly remaining: number | null;
}
