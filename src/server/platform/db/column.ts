import type { ColumnType } from 'kysely';

/** A moment: Date when read, Date when written. */
export type Moment = ColumnType<Date, Date, Date>;

/** A JSON column: parsed when read, text when written. */
export type Json<T> = ColumnType<T, string, string>;
