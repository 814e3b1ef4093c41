import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FilePayment, referenceOf } from '../../../src/server/rails/bank-files/bank-file.ts';
import { type AchFile, composeNacha } from '../../../src/server/rails/bank-files/nacha.ts';

/** The output of the independent parser, which has no types. */
interface Parsed {
  readonly file: {
    readonly destination: string;
    readonly footer: Totals & { readonly batchCount: number; readonly blockCount: number };
  };
  readonly batches: readonly {
    readonly entryClassCode: string;
    readonly effectiveDate: string;
    readonly serviceClassCode: number;
    readonly num: number;
    readonly entries: readonly Entry[];
    readonly footer: Totals & { readonly num: number };
  }[];
}

interface Totals {
  readonly entryAndAddendaCount: number;
  readonly entryHash: number;
  readonly totalDebit: number;
  readonly totalCredit: number;
}

interface Entry {
  readonly transactionCode: string;
  readonly receivingDFIIdentification: number;
  readonly checkDigit: number;
  readonly dfiAccount: string;
  readonly amount: number;
  readonly identificationNumber: string;
  readonly receivingCompanyName: string;
  readonly traceNumber: number;
  readonly addendaIndicator: string;
  readonly addenda?: { readonly type: string; readonly info: string; readonly entryNum: number };
}

const require = createRequire(import.meta.url);
const oracle = require('@midlandsbank/node-nacha') as {
  from(text: string): { readonly data: Parsed };
};

const routings = ['021000021', '011401533', '322271627', '122105155', '091000019'];

const originator = {
  routing: '110000000',
  bankName: 'Sandbox Bank',
  account: '000123456789',
  companyName: 'Nordlys Supply GmbH & Co',
  companyId: '1123456789',
};

function fileOf(payments: readonly FilePayment[], changes: Partial<AchFile> = {}): AchFile {
  return {
    reference: '3kTMd0Pp',
    createdAt: new Date('2026-11-23T10:05:00Z'),
    modifier: 'A',
    effectiveDay: '2026-11-24',
    entryClass: 'PPD',
    originator,
    payments,
    ...changes,
  };
}

function paymentOf(index: number, changes: Partial<FilePayment> = {}): FilePayment {
  return {
    reference: referenceOf('ach', `po_${index}`),
    amount: 12_345n,
    currency: 'USD',
    text: null,
    destination: { routing: '021000021', account: '000123456789', account_holder: 'Ada Lovelace' },
    ...changes,
  };
}

const texts = fc.string({ unit: 'binary', maxLength: 120 });
const payments = fc
  .array(
    fc.record({
      amount: fc.bigInt(1n, 9_999_999_999n),
      routing: fc.constantFrom(...routings),
      account: fc.stringMatching(/^[0-9]{4,17}$/),
      account_holder: texts,
      text: fc.option(texts),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map(rows => rows.map(({ amount, text, ...destination }, index) => paymentOf(index, { amount, text, destination })));

const total = (list: readonly { readonly amount: number }[]) => list.reduce((sum, { amount }) => sum + amount, 0);
const countOf = (entries: readonly Entry[]) => entries.length + entries.filter(entry => entry.addenda).length;
const hashOf = (entries: readonly Entry[]) =>
  entries.reduce((sum, entry) => (sum + entry.receivingDFIIdentification) % 10_000_000_000, 0);

describe('a file of ACH credits, read by an independent parser', () => {
  test('states each payment, in batches whose totals and hashes are right and which balance', () => {
    fc.assert(
      fc.property(payments, list => {
        const { file, batches } = oracle.from(composeNacha(fileOf(list))).data;
        const credits = batches.flatMap(({ entries }) => entries).filter(entry => entry.transactionCode === '22');
        expect(
          credits.map(entry => ({
            routing: `${String(entry.receivingDFIIdentification).padStart(8, '0')}${entry.checkDigit}`,
            account: entry.dfiAccount,
            amount: BigInt(entry.amount),
            reference: entry.identificationNumber,
          })),
        ).toEqual(
          list.map(({ amount, reference, destination: { routing, account } }) => ({
            amount,
            reference,
            routing,
            account,
          })),
        );
        for (const [index, { entries, footer, num }] of batches.entries()) {
          const offset = entries.at(-1);
          expect(offset).toMatchObject({ transactionCode: '27', dfiAccount: originator.account });
          const sums = { totalDebit: offset?.amount, totalCredit: total(entries.slice(0, -1)) };
          expect(sums.totalDebit).toBe(sums.totalCredit);
          expect(footer).toMatchObject({ ...sums, entryAndAddendaCount: countOf(entries), entryHash: hashOf(entries) });
          expect([num, footer.num]).toEqual([index + 1, index + 1]);
        }
        const all = batches.flatMap(({ entries }) => entries);
        expect(new Set(all.map(({ traceNumber }) => traceNumber)).size).toBe(all.length);
        expect(file.footer).toMatchObject({
          batchCount: batches.length,
          entryAndAddendaCount: countOf(all),
          entryHash: hashOf(all),
          totalDebit: total(credits),
          totalCredit: total(credits),
        });
      }),
      { numRuns: 40 },
    );
  });

  test('consists of records of 94 characters in full blocks of ten', () => {
    fc.assert(
      fc.property(payments, list => {
        const lines = composeNacha(fileOf(list)).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.every(line => /^[\x20-\x7e]{94}$/.test(line))).toBe(true);
        expect(lines.length % 10).toBe(0);
        expect(oracle.from(lines.join('\n')).data.file.footer.blockCount).toBe(lines.length / 10);
      }),
      { numRuns: 40 },
    );
  });

  test('carries the text of a payment as an addenda record, and names in capitals', () => {
    const destination = { routing: '021000021', account: '12345678', account_holder: 'Zoë Strauß' };
    const { data } = oracle.from(composeNacha(fileOf([paymentOf(1, { text: 'Löhne November', destination })])));
    const entry = data.batches[0]?.entries[0];
    expect(entry).toMatchObject({ receivingCompanyName: 'ZOE STRAUSS', addendaIndicator: '1' });
    expect(entry?.addenda).toMatchObject({ type: '05', info: 'LOHNE NOVEMBER', entryNum: 1 });
    expect(data.file.destination.trim()).toBe('110000000');
  });

  test('pays companies with entry class CCD, on the effective day', () => {
    const file = fileOf([paymentOf(1)], { entryClass: 'CCD' });
    expect(oracle.from(composeNacha(file)).data.batches).toMatchObject([
      { entryClassCode: 'CCD', effectiveDate: '261124', serviceClassCode: 200 },
    ]);
  });

  test('refuses more money than a file can state', () => {
    const most = Array.from({ length: 101 }, (_, index) => paymentOf(index, { amount: 9_999_999_999n }));
    expect(() => composeNacha(fileOf(most))).toThrow(RangeError);
    expect(oracle.from(composeNacha(fileOf(most.slice(0, 100)))).data.batches).toHaveLength(100);
  });
});
