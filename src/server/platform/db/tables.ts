import type { ColumnType } from 'kysely';

/** Columns of `transitions`: the state changes of resources. */
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
 * All tables, for Kysely. Each folder adds its tables (`declare module … { interface Tables { … } }`). The migrations
 * describe the columns.
 */
export interface Tables {
  transitions: TransitionsTable;
}

/** A time, read and written as a Date. */
export type Moment = ColumnType<Date, Date, Date>;

/** A time that may be null. The default is null. */
export type MomentOrNull = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** A time whose default is the database's time. */
export type MomentByDefault = ColumnType<Date, Date | undefined, Date>;

/** A JSON column. Reading returns parsed values, and writing takes text. */
export type Json<T> = ColumnType<T, string, string>;

/** A JSON column that may be null. */
export type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
