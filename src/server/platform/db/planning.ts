/** Sends a statement ahead of the next statement, without waiting for an answer. */
type SendAhead = (text: string) => void;

/** Number of calls before which no connection discards its plans. */
const firstCalls = 16;

/** Calls of named statements, over all connections of a database. */
export interface NamedCalls {
  count: number;
}

/** Transaction control, which needs no plan. Settings sent before a rollback would fail in a failed transaction. */
const control = /^(begin|start transaction|commit|rollback|savepoint|release)\b/;

const settings = {
  any: 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off',
  own: 'reset plan_cache_mode; reset enable_seqscan',
} as const;

/**
 * How PostgreSQL plans the statements of one connection.
 *
 * By default, PostgreSQL plans a prepared statement again at each call while a plan for the call's values seems cheaper
 * than a plan for any values. A plan for any values expects ten rows, so small batches would be planned at each call.
 * Planning a wide insert or update takes longer than running it. Therefore named statements get one plan for any
 * values. Unnamed statements, such as lists with filters, get a plan for their own values.
 *
 * While a table is small, all indexes seem equally good. A plan of that time may read all rows of a merchant, even
 * after the table has grown. Therefore plans for any values use indexes, and a connection discards its plans whenever
 * the number of calls has doubled. The calls of all connections count, because all fill the same tables.
 */
export function createPlanning(sendAhead: SendAhead, calls: NamedCalls) {
  let mode: keyof typeof settings | 'unknown' = 'own';
  let discardAt = Math.max(firstCalls, calls.count * 2);
  return {
    /** Call this before each statement. Sends the settings that the statement needs, and discards plans when due. */
    prepareFor: (statement: unknown): void => {
      const isNamed = typeof statement === 'object' && (statement as { readonly name?: string }).name !== undefined;
      // A rollback also undoes settings, so the mode is unknown afterwards.
      if (typeof statement === 'string' && statement.startsWith('rollback')) mode = 'unknown';
      if (typeof statement === 'string' && control.test(statement)) return;
      const wanted = isNamed ? 'any' : 'own';
      if (mode !== wanted) sendAhead(settings[wanted]);
      mode = wanted;
      if (!isNamed || ++calls.count < discardAt) return;
      sendAhead('discard plans');
      discardAt = calls.count * 2;
    },
  };
}
