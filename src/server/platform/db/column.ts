import type { ColumnType } from 'kysely';

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
