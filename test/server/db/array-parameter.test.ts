import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bigintArray,
  booleanArray,
  byteaArray,
  textArray,
  timestampArray,
} from '../../../src/server/platform/db/array-parameter.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const nullable = <T>(of: fc.Arbitrary<T>) => fc.array(fc.option(of, { nil: null }), { maxLength: 40 });
/** PostgreSQL keeps no NUL and no half of a surrogate pair. */
const text = fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', ''));

async function roundTrip(type: string, parameter: Buffer, element = 'v'): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select ${element} as v from unnest($1::${type}[]) with ordinality u(v, n) order by n`,
    [parameter],
  );
  return rows.map(row => (row as { v: unknown }).v);
}

describe('an array parameter', () => {
  it('brings any text to the database unchanged', () =>
    fc.assert(
      fc.asyncProperty(nullable(text), async values => {
        expect(await roundTrip('text', textArray(values))).toEqual(values);
      }),
    ));

  it('brings any bytes', () =>
    fc.assert(
      fc.asyncProperty(nullable(fc.uint8Array()), async values => {
        const found = await roundTrip('bytea', byteaArray(values));
        expect(found).toEqual(values.map(value => (value === null ? null : Buffer.from(value))));
      }),
    ));

  it('brings any signed 64-bit integer', () =>
    fc.assert(
      fc.asyncProperty(nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), async values => {
        const found = await roundTrip('int8', bigintArray(values), 'v::text');
        expect(found).toEqual(values.map(value => (value === null ? null : String(value))));
      }),
    ));

  it('brings truth values', () =>
    fc.assert(
      fc.asyncProperty(nullable(fc.boolean()), async values => {
        expect(await roundTrip('bool', booleanArray(values))).toEqual(values);
      }),
    ));

  it('brings moments to the millisecond, before and after the year 2000', () =>
    fc.assert(
      fc.asyncProperty(
        nullable(fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })),
        async values => {
          expect(await roundTrip('timestamptz', timestampArray(values))).toEqual(values);
        },
      ),
    ));
});
