import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowSource } from '../../../src/server/platform/db/rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** PostgreSQL stores no NUL and no lone surrogate. */
const text = fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', ''));
const json = fc.jsonValue().map(value => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')));
const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });

/** Sends a column of values through the database. */
async function roundTrip(type: string, values: readonly unknown[]): Promise<unknown[]> {
  const rows = values.map((v, n) => ({ v, n }));
  const source = rowSource({ v: type, n: 'int4' }, rows);
  const { rows: found } = await sql<{ v: unknown }>`select v from ${source} as r order by n`.execute(database.db);
  return found.map(({ v }) => v);
}

describe('rows passed to SQL', () => {
  it.each([
    { type: 'text', values: text },
    { type: 'bytea', values: fc.uint8Array().map(bytes => Buffer.from(bytes)) },
    { type: 'int8', values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
    { type: 'int4', values: fc.integer() },
    { type: 'numeric', values: fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }) },
    { type: 'bool', values: fc.boolean() },
    { type: 'timestamptz', values: moment },
    { type: 'json', values: json.filter(value => value !== null) },
    { type: '_text', values: fc.array(text) },
  ] as { type: string; values: fc.Arbitrary<unknown> }[])(
    'keep every value of type $type, and null',
    ({ type, values }) =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.option(values, { nil: null }), { maxLength: 40 }), async given => {
          expect(await roundTrip(type, given)).toEqual(given);
        }),
      ),
  );

  it('convert undefined to null', async () => {
    expect(await roundTrip('text', [undefined])).toEqual([null]);
  });
});
