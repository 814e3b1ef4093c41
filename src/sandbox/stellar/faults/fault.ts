import { type Static, Type } from 'typebox';

/**
 * What can go wrong between a client and Horizon.
 * Of submissions: `timeout_after_apply` answers 504 once the transaction is in a ledger; `timeout_before_apply` answers
 * 504 at once and lets it into a ledger `ledgers` later; `bad_sequence` refuses it with `tx_bad_seq`; `duplicate` takes
 * it and calls it a duplicate.
 * Of reads: `stale` shows the network as it was `ledgers` ago; `history_gone` answers 410 to a list with a cursor.
 * Of streams: `stream_dropped` breaks the line after the first messages; `stream_silent` sends nothing after hello.
 * Of all: `rate_limited` (429), `unavailable` (503), `connection_reset` (once the request is read), `silence` (30 s
 * without an answer), `html` (502 with a page), `truncated` (JSON cut in half). With `applied` a submission that meets
 * one of these gets through all the same.
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

/** The name of a fault. */
export type FaultKind = (typeof faultKinds)[number];

/** A fault that is to be switched on. */
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

/** Ledgers by which a fault is late or behind, unless it says otherwise. */
export const usualLedgers = 2;

/** Faults that meet whatever is asked. */
export const generalFaults: readonly FaultKind[] = [
  'rate_limited',
  'unavailable',
  'connection_reset',
  'silence',
  'html',
  'truncated',
];

/** Faults that meet submissions only. */
export const submissionFaults: readonly FaultKind[] = [
  'timeout_after_apply',
  'timeout_before_apply',
  'bad_sequence',
  'duplicate',
];

/** Faults that meet streams only. */
export const streamFaults: readonly FaultKind[] = ['stream_dropped', 'stream_silent'];

/** A fault that is switched on. */
export interface SwitchedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How often it is still to happen; null: until it is switched off. */
  readonly remaining: number | null;
}
