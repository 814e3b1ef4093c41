/** Columns of `transitions`: each change of a resource's state. */
export interface TransitionsTable {
  merchant_id: string;
  resource_id: string;
  seq: number;
  from_phase: string;
  to_phase: string;
  event_id: string | null;
  at: Date;
}

/**
 * Every table, for Kysely. Each folder adds its own in its `tables.ts` (`declare module … { interface Tables { … } }`),
 * so a new module touches only its folder. The migrations explain the columns.
 */
export interface Tables {
  transitions: TransitionsTable;
}
