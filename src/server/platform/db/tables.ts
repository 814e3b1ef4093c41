import type { ColumnType } from 'kysely';

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
 * Every table, for Kysely. Each folder adds its own (`declare module … { interface Tables { … } }`). The migrations
 * explain the columns.
 */
export interface Tables {
  transitions: TransitionsTable;
}

/** A moment: a Date when read and when written. */
export type Moment = ColumnType<Date, Date, Date>;

/** A moment that may be null, which is also its default. */
export type MomentOrNull = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** A moment whose default is the database's time. */
export type MomentByDefault = ColumnType<Date, Date | undefined, Date>;

/** A JSON column: parsed when read, text when written. */
export type Json<T> = ColumnType<T, string, string>;

/** A JSON column that may be null. */
export type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
