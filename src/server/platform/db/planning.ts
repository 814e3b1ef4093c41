/** Sends a statement ahead of the next one, without waiting for its answer. */
type SendAhead = (text: string) => void;

/** Calls of named statements after which a connection makes its plans anew for the first time. */
const firstCalls = 256;

/** Statements that need no plan. In a failed transaction, some may not be preceded by another. */
const control = /^(begin|start transaction|commit|rollback|savepoint|release)\b/;

const settings = {
  any: 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off',
  own: 'reset plan_cache_mode; reset enable_seqscan',
} as const;

/**
 * How PostgreSQL plans the statements of one connection.
 *
 * PostgreSQL plans a prepared statement again at each call while a plan for the call's values seems cheaper than a plan
 * for any values. For small batches it always seems so, because the second plan expects ten rows. Planning a wide insert
 * or update takes longer than running it. Therefore named statements get one plan for any values, and unnamed
 * statements, such as lists with filters, a plan for their own values.
 *
 * A plan made for an empty table would read all rows of the table once it is large. Therefore plans for any values use
 * indexes, and a connection discards its plans whenever the number of its calls has doubled.
 */
export function createPlanning(sendAhead: SendAhead) {
  let mode: keyof typeof settings | 'unknown' = 'own';
  let calls = 0;
  let discardAt = firstCalls;
  return {
    /** Sends the settings that the statement needs. */
    prepareFor: (statement: unknown): void => {
      const isNamed = typeof statement === 'object' && (statement as { readonly name?: string }).name !== undefined;
      // A rollback also undoes settings.
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
