/** Sends a statement before the next one, without waiting for its answer. */
type SendAhead = (text: string) => void;

/** Number of calls of named statements after which a connection first discards its plans. */
const firstCalls = 256;

/** Statements without a plan. In a failed transaction, no other statement may be sent before some of them. */
const control = /^(begin|start transaction|commit|rollback|savepoint|release)\b/;

const settings = {
  any: 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off',
  own: 'reset plan_cache_mode; reset enable_seqscan',
} as const;

/**
 * How PostgreSQL plans the statements of one connection.
 *
 * By default, PostgreSQL plans a prepared statement again at each call while a plan for the call's values seems cheaper
 * than a plan for any values. For small batches it always seems cheaper, because a plan for any values expects ten
 * rows. Planning a wide insert or update takes longer than running it. Therefore named statements get one plan for any
 * values. Unnamed statements, such as lists with filters, get a plan for their own values.
 *
 * A plan made for an empty table reads all rows, also after the table has grown. Therefore plans for any values use
 * indexes. A connection also discards its plans whenever the number of its calls has doubled.
 */
export function createPlanning(sendAhead: SendAhead) {
  let mode: keyof typeof settings | 'unknown' = 'own';
  let calls = 0;
  let discardAt = firstCalls;
  return {
    /** Sends the settings that the statement needs. */
    prepareFor: (statement: unknown): void => {
      const isNamed = typeof statement === 'object' && (statement as { readonly name?: string }).name !== undefined;
      // A rollback also undoes settings, so the mode is unknown afterwards.
      if (typeof statement === 'string' && statement.startsWith('rollback')) mode = 'unknown';
      if (typeof statement === 'string' && control.test(statement)) return;
      const wanted = isNamed ? 'any' : 'own';
      if (mode !== wanted) sendAhead(settings[wanted]);
      mode = wanted;
      if (!isNamed || ++calls < discardAt) return;
      sendAhead('discard plans');
      discardAt = calls * 2;
    },
  };
}
