import { isDay, parseTimestamp } from '../../../core/calendar.ts';
import { PayError } from '../../../core/error.ts';
import type { Bound, Page, PageRequest } from '../db/page.ts';

const defaultLimit = 10;
const largestLimit = 100;

/**
 * Reads the query of a list: `limit` (1 … 100, default 10), `starting_after` or `ending_before`, and the range
 * `created_at` (RFC 3339). Throws `invalid_limit`, `invalid_cursor` or `parameter_invalid`.
 */
export function parseListQuery(query: unknown): PageRequest {
  const values = query as Readonly<Record<string, unknown>>;
  const startingAfter = cursorOf(values, 'starting_after');
  const endingBefore = cursorOf(values, 'ending_before');
  if (startingAfter !== null && endingBefore !== null) {
    throw new PayError('invalid_cursor', 'Give starting_after or ending_before, not both.', { param: 'ending_before' });
  }
  return {
    limit: limitOf(values['limit']),
    startingAfter,
    endingBefore,
    created: readRange(values, 'created_at', timeOf),
  };
}

function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit;
  const text = String(value);
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > largestLimit) {
    throw new PayError('invalid_limit', `limit takes a whole number from 1 to ${largestLimit}.`, { param: 'limit' });
  }
  return limit;
}

function cursorOf(values: Readonly<Record<string, unknown>>, param: string): string | null {
  const value = values[param];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[a-z]+_[0-9A-Za-z]{1,60}$/.test(value)) {
    throw new PayError('invalid_cursor', `${param} takes the id of an object of this list.`, { param });
  }
  return value;
}

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The given bounds of a range: `amount[gt]`, `amount[gte]`, `amount[lt]` and `amount[lte]`. */
export function readRange(
  query: unknown,
  field: string,
  read: (value: unknown, param: string) => Bound['value'],
): readonly Bound[] {
  const values = query as Readonly<Record<string, unknown>>;
  return Object.entries(operators).flatMap(([bound, operator]) => {
    const param = `${field}[${bound}]`;
    return values[param] === undefined ? [] : [{ operator, value: read(values[param], param) }];
  });
}

/** Reads an amount that bounds a range, for example `amount[lte]`. The query's schema has checked it. */
export function readAmount(value: unknown): bigint {
  return BigInt(value as number);
}

/** Reads a day that bounds a range, for example `due_date[lte]`. Throws `parameter_invalid`. */
export function readDay(value: unknown, param: string): string {
  if (typeof value === 'string' && isDay(value)) return value;
  throw new PayError('parameter_invalid', `${param} takes a day like 2026-11-01.`, { param });
}

function timeOf(value: unknown, param: string): Date {
  const time = typeof value === 'string' ? parseTimestamp(value) : null;
  if (time !== null) return time;
  throw new PayError('parameter_invalid', `${param} takes a time like 2026-11-01T12:00:00Z.`, { param });
}

/** The answer of a list. `url` is the list's path without query. */
export function listAnswer<Row, Item>(url: string, page: Page<Row>, toWire: (row: Row) => Item) {
  return { object: 'list' as const, url, has_more: page.hasMore, data: page.rows.map(toWire) };
}
