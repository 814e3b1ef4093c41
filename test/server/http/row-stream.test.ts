import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from '../../../src/server/platform/http/row-stream.ts';

/** Reads a body that arrives in chunks of these sizes. */
async function read(text: string, sizes: readonly number[] = [1_000_000]) {
  const bytes = Buffer.from(text);
  const rows: unknown[] = [];
  async function* chunks() {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  const { rest } = await readRows(chunks(), { field: 'payouts', most: 1_000_000 }, row => rows.push(row));
  return { rest, rows };
}

const json = fc.jsonValue({ maxDepth: 4 }).filter(value => !JSON.stringify(value).includes('__proto__'));
const object = fc.dictionary(
  fc.string().filter(key => !['__proto__', 'payouts'].includes(key)),
  json,
  { maxKeys: 5 },
);
const clean = (value: unknown) => !/\\u0000|\\ud[89a-f]|e[+-]?\d|\d\.\d/i.test(JSON.stringify(value));

describe('a body read row by row', () => {
  it('equals the result of JSON.parse, for any size of chunks', async () => {
    const body = fc.record({ before: object, rows: fc.array(object, { maxLength: 6 }), after: object }).filter(clean);
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(body, sizes, async ({ before, rows, after }, cuts) => {
        const text = JSON.stringify({ ...before, payouts: rows, ...after }, null, 1);
        const parsed = JSON.parse(text);
        expect(await read(text, cuts)).toEqual({ rest: { ...parsed, payouts: [] }, rows: parsed.payouts });
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['no rows', '{"payouts":[]}', []],
    ['no array', '{"a":1}', []],
    ['blanks', ' { "payouts" : [ {"a":1} , {"b":"]},["} ] } ', [{ a: 1 }, { b: ']},[' }]],
    ['values that are no objects', '{"payouts":[1,"a",null,[{}],{}]}', [null, null, null, null, {}]],
    ['an array of the same name further in', '{"x":{"payouts":[1]},"payouts":[{}]}', [{}]],
  ])('hands over: %s', async (_, text, rows) => {
    expect((await read(text, [3])).rows).toEqual(rows);
  });

  it.each([
    ['a row that ends early', '{"payouts":[{"a":1'],
    ['a comma too many', '{"payouts":[{"a":1},]}'],
    ['no comma', '{"payouts":[{"a":1}{"b":1}]}'],
    ['a wrong bracket', '{"payouts":[{"a":1]}}'],
    ['the rows twice', '{"payouts":[{}],"payouts":[{}]}'],
    ['a key twice in a row', '{"payouts":[{"a":1,"a":2}]}'],
    ['text after the end', '{"payouts":[{}]} x'],
    ['a row of 64 kB', `{"payouts":[{"a":"${'x'.repeat(65_536)}"}]}`],
  ])('refuses %s', async (_, text) => {
    await expect(read(text, [7])).rejects.toMatchObject({ code: 'invalid_json' });
  });
});
