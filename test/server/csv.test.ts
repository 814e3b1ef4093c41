import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvColumns, type CsvRow, csvHead, csvLine, readCsv } from '../../src/server/platform/csv.ts';

const columns: CsvColumns = { required: ['name'], optional: ['note', 'amount'], prefix: 'metadata.' };

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(file: string | Uint8Array, { most = 100, size = 7 } = {}): Promise<CsvRow[]> {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const rows: CsvRow[] = [];
  for await (const row of readCsv(inChunks(bytes, size), columns, most)) rows.push(row);
  return rows;
}

describe('readCsv', () => {
  test.each([
    ['commas', 'name,note\nAda,x\n'],
    ['no last line end', 'name,note\r\nAda,x'],
    ['semicolons', 'name;note\r\nAda;x\r\n'],
    ['tabs', 'name\tamount\tnote\nAda\t\tx\n'],
    ['a byte order mark', '\ufeffname,note\nAda,x\n'],
    ['blanks, capitals and another order', ' Note , NAME \n x , Ada \n'],
    ['quotes', '"name","note"\n"Ada", "x"\n'],
    ['empty lines', '\nname,note\n\n , \nAda,x\n\n'],
  ])('reads %s', async (_, file) => {
    const rows = await read(file);
    expect(rows.map(({ cells, problem }) => ({ cells, problem }))).toEqual([
      { cells: { name: 'Ada', note: 'x' }, problem: null },
    ]);
  });

  test('reads commas, quotes and line ends inside quotes, and counts lines', async () => {
    const rows = await read('name,note\n"Lovelace, ""Ada""","two\nlines"\nGrace,\n');
    expect(rows).toEqual([
      { line: 3, cells: { name: 'Lovelace, "Ada"', note: 'two\nlines' }, problem: null },
      { line: 4, cells: { name: 'Grace' }, problem: null },
    ]);
  });

  test('takes columns of free names', async () => {
    expect((await read('name,Metadata.Team\nAda,7\n'))[0]?.cells).toEqual({ name: 'Ada', 'metadata.Team': '7' });
  });

  test.each([
    ['a cell too few', 'name,note\nAda\nGrace,x\n'],
    ['a cell too many', 'name,note\nAda,x,y\nGrace,x\n'],
    ['a NUL', 'name,note\nAda,\0\nGrace,x\n'],
  ])('marks a row with %s and reads on', async (_, file) => {
    const rows = await read(file);
    expect(rows.map(({ problem }) => problem)).toEqual([expect.stringContaining('Line 2'), null]);
  });

  test.each([
    ['nothing', '', 'malformed_request'],
    ['an open quote', 'name,note\n"Ada,x\nGrace,x\n', 'malformed_request'],
    ['a quote inside a cell', 'name,note\nA"da,x\n', 'malformed_request'],
    ['another encoding', new Uint8Array([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xe4, 0x0a]), 'malformed_request'],
    ['half a character at the end', new Uint8Array([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xc3]), 'malformed_request'],
    ['an unknown column', 'name,nick\nAda,x\n', 'parameter_unknown'],
    ['a free column without name', 'name,metadata.\nAda,x\n', 'parameter_unknown'],
    ['a column twice', 'name,name\nAda,x\n', 'parameter_invalid'],
    ['no required column', 'note\nx\n', 'parameter_missing'],
    ['too many rows', `name\n${'Ada\n'.repeat(101)}`, 'batch_size'],
  ])('refuses a file with %s', async (_, file, code) => {
    await expect(read(file)).rejects.toMatchObject({ code });
  });

  test('refuses a row without end before it takes much memory', async () => {
    await expect(read(`name\n"${'a'.repeat(200_000)}`, { size: 10_000 })).rejects.toMatchObject({
      code: 'malformed_request',
    });
  });
});

describe('csvLine', () => {
  test.each([
    [['a', 1, 2n, null, undefined], 'a,1,2,,\r\n'],
    [['a,b', 'say "x"', 'a\nb'], '"a,b","say ""x""","a\nb"\r\n'],
    [['=1+1', '+254', '-x', '@A1', '\tx'], `'=1+1,'+254,'-x,'@A1,"'\tx"\r\n`],
    [[-5, -7n, '-12.50', '-1-1', '-.5', '-1e3', '-'], "-5,-7,-12.50,'-1-1,'-.5,'-1e3,'-\r\n"],
    [["'=1"], "''=1\r\n"],
    [['\uff1d1', '\uff0b1', '\uff0d1', '\uff20A1'], "'\uff1d1,'\uff0b1,'\uff0d1,'\uff20A1\r\n"],
  ])('writes %s', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  const signs = [...'=+-@\uff1d\uff0b\uff0d\uff20'];
  test.each([
    ['a space', ' '],
    ['a tab', '\t'],
    ['a carriage return', '\r'],
    ['a line feed', '\n'],
    ['a form feed', '\f'],
    ['an escape', '\u001b'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a soft hyphen', '\u00ad'],
    ['a zero-width space', '\u200b'],
    ['a word joiner', '\u2060'],
    ['a byte order mark', '\ufeff'],
    ['a right-to-left mark', '\u200f'],
    ['an Arabic letter mark', '\u061c'],
    ['a direction override', '\u202e'],
    ['a direction isolate', '\u2067'],
    ['a line separator', '\u2028'],
    ['a variation selector', '\ufe0f'],
    ['a Hangul filler', '\u3164'],
    ['a tag', '\u{e0041}'],
    ['several', ' \u200b\u00a0\u200e'],
  ])('writes no formula after %s', (_, invisible) => {
    for (const sign of signs) {
      expect(csvLine([`${invisible}${sign}1+1`]).replace(/^"/, '')).toMatch(/^'/);
      expect(csvLine([`a${invisible}${sign}1`]).replace(/^"/, '')).toMatch(/^a/);
    }
  });

  test('begins a file with a byte order mark, which readCsv takes', async () => {
    const head = csvHead(['name', 'note']);
    expect(head).toBe('\ufeffname,note\r\n');
    expect((await read(`${head}${csvLine(['M\u00fcller', '-5'])}`))[0]?.cells).toEqual({
      name: 'M\u00fcller',
      note: '-5',
    });
  });

  test('writes what readCsv reads, and no cell is a formula', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...'a =+-@\',;"\t\r\n\u00fc\u200b\u00ad\u{1f600}'), maxLength: 12 })
      .map(text => text.trim());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 8 }), async pairs => {
        const filled = pairs.filter(pair => pair.some(text => text !== ''));
        const text = [['name', 'note'], ...filled].map(csvLine).join('');
        const rows = await read(text, { size: 5 });
        expect(rows.map(({ cells }) => [cells['name'] ?? '', cells['note'] ?? ''])).toEqual(filled);
        expect(filled.flat().some(value => /^[=+@\t]|^-\D/.test(csvLine([value]).replace(/^"/, '')))).toBe(false);
      }),
    );
  });
});
