import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { computeCheckDigits } from '../../../src/core/bank/iban.ts';
import { formatUnits } from '../../../src/core/money.ts';
import { find, findAll, readXml, textAt } from '../../../src/core/xml.ts';
import { type FilePayment, referenceOf } from '../../../src/server/rails/bank-files/bank-file.ts';
import { type CreditTransferFile, composePain001 } from '../../../src/server/rails/bank-files/pain001.ts';

const schemaPath = join(import.meta.dirname, '../../../../shared/vectors/iso20022/pain.001.001.09.xsd');

function germanIban(number: number): string {
  const bban = `37040044${String(number).padStart(10, '0')}`;
  return `DE${computeCheckDigits('DE', bban)}${bban}`;
}

function paymentOf(changes: Partial<FilePayment> = {}): FilePayment {
  return {
    reference: 'po-3kTMd0PpC1hJ6nLq2uXs9B',
    amount: 12_345n,
    currency: 'EUR',
    destination: { type: 'bank_account', iban: germanIban(532_013_000), account_holder: 'Ada Lovelace' },
    text: 'Salary November',
    ...changes,
  };
}

function fileOf(payments: readonly FilePayment[], changes: Partial<CreditTransferFile> = {}): CreditTransferFile {
  return {
    reference: 'bf-3kTMd0PpC1hJ6nLq2uXs9B',
    createdAt: new Date('2026-11-23T10:00:00Z'),
    executionDay: '2026-11-24',
    variant: 'sepa',
    debtor: { name: 'Nordlys Supply GmbH', iban: germanIban(1), bic: 'COBADEFFXXX' },
    payments,
    ...changes,
  };
}

const texts = fc.string({ unit: 'binary', maxLength: 200 });
const payments = fc
  .array(fc.record({ amount: fc.bigInt(1n, 99_999_999_999n), number: fc.nat(9_999_999), name: texts, text: texts }), {
    minLength: 1,
    maxLength: 20,
  })
  .map(rows =>
    rows.map(({ amount, number, name, text }, index) =>
      paymentOf({
        reference: referenceOf('sepa', `po_${index}`),
        destination: { iban: germanIban(number), account_holder: name },
        amount,
        text,
      }),
    ),
  );

const transfers = 'CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf';

describe('a file of credit transfers', () => {
  test('states each payment, their number and their sum twice', () => {
    fc.assert(
      fc.property(payments, list => {
        const document = readXml(composePain001(fileOf(list)));
        const sum = formatUnits(
          list.reduce((total, { amount }) => total + amount, 0n),
          2,
        );
        for (const path of ['CstmrCdtTrfInitn/GrpHdr', 'CstmrCdtTrfInitn/PmtInf']) {
          expect(textAt(document, `${path}/NbOfTxs`)).toBe(String(list.length));
          expect(textAt(document, `${path}/CtrlSum`)).toBe(sum);
        }
        const written = findAll(document, transfers).map(transfer => ({
          reference: textAt(transfer, 'PmtId/EndToEndId'),
          amount: textAt(transfer, 'Amt/InstdAmt'),
          currency: find(transfer, 'Amt/InstdAmt')?.attributes['Ccy'],
          iban: textAt(transfer, 'CdtrAcct/Id/IBAN'),
        }));
        expect(written).toEqual(
          list.map(({ reference, amount, currency, destination }) => ({
            reference,
            currency,
            iban: destination['iban'],
            amount: formatUnits(amount, 2),
          })),
        );
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['JPY', 500n, '500'],
    ['KWD', 1_250n, '1.250'],
    ['USD', 5n, '0.05'],
  ])('writes %s with its decimals', (currency, amount, text) => {
    const document = readXml(composePain001(fileOf([paymentOf({ currency, amount })], { variant: 'swift' })));
    expect(textAt(document, `${transfers}/Amt/InstdAmt`)).toBe(text);
    expect(textAt(document, 'CstmrCdtTrfInitn/GrpHdr/CtrlSum')).toBe(text);
  });

  test('transliterates names and texts, and says so where no name is known', () => {
    const unnamed = paymentOf({ destination: { iban: germanIban(2) }, text: null });
    const named = paymentOf({ destination: { iban: germanIban(3), account_holder: 'Jürgen <Groß>' } });
    const [first, second] = findAll(readXml(composePain001(fileOf([unnamed, named]))), transfers);
    expect(first && textAt(first, 'Cdtr/Nm')).toBe('NOTPROVIDED');
    expect(first && find(first, 'RmtInf')).toBeNull();
    expect(second && textAt(second, 'Cdtr/Nm')).toBe('Jurgen .Gross.');
  });

  test('has one currency', () => {
    expect(() => composePain001(fileOf([paymentOf(), paymentOf({ currency: 'USD' })]))).toThrow(RangeError);
    expect(() => composePain001(fileOf([]))).toThrow(RangeError);
  });
});

describe.skipIf(!existsSync(schemaPath))(
  'a file of credit transfers and the official schema (skipped where ../shared/vectors is missing)',
  () => {
    const schema = {
      fileName: 'pain.001.001.09.xsd',
      contents: existsSync(schemaPath) ? readFileSync(schemaPath, 'utf8') : '',
    };
    const complaintsAbout = async (contents: string) => {
      const { valid, errors } = await validateXML({ xml: { fileName: 'file.xml', contents }, schema });
      return valid ? [] : errors.map(({ message }) => message);
    };

    test('is valid for any names, texts and amounts', async () => {
      await fc.assert(
        fc.asyncProperty(payments, async list => {
          expect(await complaintsAbout(composePain001(fileOf(list)))).toEqual([]);
        }),
        { numRuns: 10 },
      );
    });

    test.each<[string, Readonly<Record<string, string>>]>([
      ['a BIC and an account number', { bic: 'NEDSZAJJXXX', account: '62001872440', country: 'ZA' }],
      ['an IBAN outside of SEPA', { bic: 'ARABAEAD', iban: 'AE070331234567890123456' }],
      ['a sort code', { routing: '20-00-00', account: '55779911', country: 'GB' }],
      ['a bank code without a clearing system', { routing: '011', account: '0000014579', country: 'ng' }],
    ])('is valid for %s', async (_, destination) => {
      const payment = paymentOf({ currency: 'USD', destination: { ...destination, account_holder: 'Thandi Nkosi' } });
      expect(await complaintsAbout(composePain001(fileOf([payment], { variant: 'swift' })))).toEqual([]);
    });

    test('is valid with 2,000 payments, and invalid with a wrong element', async () => {
      const many = Array.from({ length: 2_000 }, (_, index) =>
        paymentOf({ reference: referenceOf('sepa', `po_${index}`) }),
      );
      const xml = composePain001(fileOf(many));
      expect(await complaintsAbout(xml)).toEqual([]);
      expect(await complaintsAbout(xml.replace('<PmtMtd>TRF</PmtMtd>', '<PmtMtd>CASH</PmtMtd>'))).not.toEqual([]);
    });
  },
);
