import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { readXml } from '../../../src/core/xml.ts';
import { readCamt054 } from '../../../src/server/rails/bank-files/camt054.ts';
import { readNachaReturns } from '../../../src/server/rails/bank-files/nacha-return.ts';
import { readPain002 } from '../../../src/server/rails/bank-files/pain002.ts';
import { bankFailureOf } from '../../../src/server/rails/bank-files/reason-codes.ts';

const report = (group: string, rest = '') => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>r-1</MsgId><CreDtTm>2026-11-23T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>bf-1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${rest}</CstmrPmtStsRpt></Document>`;

const inGroup = (content: string) =>
  `<OrgnlPmtInfAndSts><OrgnlPmtInfId>bf-1</OrgnlPmtInfId>${content}</OrgnlPmtInfAndSts>`;
const payment = (reference: string, status: string, reason = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${reference}</OrgnlEndToEndId>${status && `<TxSts>${status}</TxSts>`}${reason}</TxInfAndSts>`;
const because = (code: string, text = '') =>
  `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn>${text && `<AddtlInf>${text}</AddtlInf>`}</StsRsnInf>`;

const statusReports: readonly (readonly [string, string, readonly object[]])[] = [
  [
    'a file that was refused',
    report(`<GrpSts>RJCT</GrpSts>${because('AM04')}`),
    [{ reference: null, state: 'failed', code: 'AM04' }],
  ],
  ['a file that was taken', report('<GrpSts>ACTC</GrpSts>'), [{ reference: null, state: 'accepted' }]],
  ['a file that was received', report('<GrpSts>RCVD</GrpSts>'), []],
  [
    'a refused group without payments',
    report('', inGroup(`<PmtInfSts>RJCT</PmtInfSts>${because('DT01')}`)),
    [{ reference: null, state: 'failed', code: 'DT01' }],
  ],
  [
    'payments with statuses of their own',
    report(
      '<GrpSts>PART</GrpSts>',
      inGroup(
        payment('po-1', 'ACSC') +
          payment('po-2', 'RJCT', because('AC04', 'closed &amp; gone')) +
          payment('po-3', 'PDNG'),
      ),
    ),
    [
      { file: 'bf-1', reference: 'po-1', state: 'completed', code: null },
      { file: 'bf-1', reference: 'po-2', state: 'failed', code: 'AC04', text: 'closed & gone' },
    ],
  ],
  [
    'payments with the status of their group',
    report(
      '',
      inGroup(`<PmtInfSts>RJCT</PmtInfSts>${because('RR04')}${payment('po-1', '')}${payment('po-2', 'ACCC')}`),
    ),
    [
      { reference: 'po-1', state: 'failed', code: 'RR04' },
      { reference: 'po-2', state: 'completed' },
    ],
  ],
];

const entry = (direction: string, details: string, status = '<Cd>BOOK</Cd>', more = '') => `<Ntry>
<Amt Ccy="EUR">12.50</Amt><CdtDbtInd>${direction}</CdtDbtInd>${more}<Sts>${status}</Sts>
<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd><NtryDtls>${details}</NtryDtls></Ntry>`;
const details = (reference: string, rest = '', amount = '') =>
  `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>${amount}${rest}</TxDtls>`;
const returned = (code: string) => `<RtrInf><Rsn><Cd>${code}</Cd></Rsn></RtrInf>`;

const notification = (entries: string) => `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08">
<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>n-1</MsgId><CreDtTm>2026-11-23T10:00:00Z</CreDtTm></GrpHdr>
<Ntfctn><Id>n-1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>${entries}</Ntfctn>
</BkToCstmrDbtCdtNtfctn></Document>`;

const notifications: readonly (readonly [string, string, readonly object[]])[] = [
  [
    'a return with its reason',
    notification(entry('CRDT', details('po-1', returned('AC04')))),
    [{ reference: 'po-1', state: 'returned', amount: 1_250n, code: 'AC04' }],
  ],
  [
    'returns of one entry with amounts of their own',
    notification(
      entry(
        'CRDT',
        details('po-1', returned('AC04'), '<Amt Ccy="EUR">10.00</Amt>') +
          details('po-2', returned('MD07'), '<Amt Ccy="JPY">500</Amt>'),
      ),
    ),
    [
      { reference: 'po-1', amount: 1_000n, code: 'AC04' },
      { reference: 'po-2', amount: 500n, code: 'MD07' },
    ],
  ],
  ['a debit', notification(entry('DBIT', details('po-1'))), [{ reference: 'po-1', state: 'completed' }]],
  [
    'one debit for a file',
    notification(entry('DBIT', '<Btch><PmtInfId>bf-1</PmtInfId><NbOfTxs>3</NbOfTxs></Btch>')),
    [{ file: 'bf-1', reference: null, state: 'completed' }],
  ],
  ['one credit for a file', notification(entry('CRDT', '<Btch><PmtInfId>bf-1</PmtInfId></Btch>')), []],
  ['a debit that is pending', notification(entry('DBIT', details('po-1'), '<Cd>PDNG</Cd>')), []],
  ['money of others', notification(entry('CRDT', details('invoice-12'))), []],
  ['payments without a reference', notification(entry('DBIT', details('NOTPROVIDED'))), []],
  [
    'a reversed debit',
    notification(entry('CRDT', details('po-1'), undefined, '<RvslInd>true</RvslInd>')),
    [{ reference: 'po-1', state: 'returned', amount: 1_250n, code: null }],
  ],
];

describe('a payment status report', () => {
  test.each(statusReports)('of %s', (_, xml, expected) => {
    const found = readPain002(readXml(xml));
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject([...expected]);
  });
});

describe('a debit and credit notification', () => {
  test.each(notifications)('of %s', (_, xml, expected) => {
    const found = readCamt054(readXml(xml));
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject([...expected]);
  });

  test('of older versions and with prefixes is read too', () => {
    const plain = notification(entry('DBIT', details('po-1'), 'BOOK')).replace(/<(\/?)(\w)/g, '<$1bank:$2');
    expect(readCamt054(readXml(plain))).toMatchObject([{ reference: 'po-1', state: 'completed' }]);
  });
});

const schemas = join(import.meta.dirname, '../../../../shared/vectors/iso20022');

describe.skipIf(!existsSync(schemas))(
  'the samples and the official schemas (skipped where ../shared/vectors is missing)',
  () => {
    test.each([
      ...statusReports.map(([name, xml]) => [name, xml, 'pain.002.001.10.xsd'] as const),
      ...notifications.map(([name, xml]) => [name, xml, 'camt.054.001.08.xsd'] as const),
    ])('agree: %s', async (_, contents, fileName) => {
      const schema = { fileName, contents: readFileSync(join(schemas, fileName), 'utf8') };
      const { errors } = await validateXML({ xml: { fileName: 'report.xml', contents }, schema });
      expect(errors.map(({ message }) => message)).toEqual([]);
    });
  },
);

/** A return in an ODFI's form: an entry, and an addenda record of the type. */
const achReturn = (type: string, code: string, changes: Readonly<Record<string, string>> = {}) => {
  const { amount = '0000012345', reference = 'ABC123456789012' } = changes;
  return [
    `101 11000000012345678912611240905A094101${'NORDLYS SUPPLY'.padEnd(23)}${'SANDBOX BANK'.padEnd(31)}`,
    `5200NORDLYS SUPPLY${' '.repeat(22)}1123456789PPDPAYOUT          261124261124 1021000020000001`
      .padEnd(94)
      .slice(0, 94),
    `621${'110000000'}${'000123456789'.padEnd(17)}${amount}${reference.padEnd(15)}${'ADA LOVELACE'.padEnd(22)}  1021000020000001`,
    `7${type}${code}110000000000001      02100002${'NO SUCH ACCOUNT'.padEnd(44)}021000020000001`,
    `900000100000100000002${'0'.repeat(34)}`.padEnd(94),
    '9'.repeat(94),
  ].join('\r\n');
};

describe('returns of ACH payments', () => {
  test('name the payment, its amount and the reason', () => {
    expect(readNachaReturns(achReturn('99', 'R03'))).toEqual([
      {
        ...{ file: null, reference: 'ABC123456789012', state: 'returned', amount: 12_345n },
        ...{ code: 'R03', text: 'NO SUCH ACCOUNT' },
      },
    ]);
  });

  test('are no corrections', () => {
    expect(readNachaReturns(achReturn('98', 'C01'))).toEqual([]);
  });

  test.each([
    ['another text', 'hello'],
    ['records of a wrong length', achReturn('99', 'R03').replace('ADA LOVELACE', 'ADA')],
    ['no file control, as in half of a file', achReturn('99', 'R03').split('\r\n').slice(0, -2).join('\r\n')],
    ['fewer entries than the file control states', achReturn('99', 'R03').replace(/^7.*\r\n/m, '')],
    ['an amount that is no number', achReturn('99', 'R03', { amount: 'x'.repeat(10) })],
  ])('are refused: %s', (_, text) => {
    expect(() => readNachaReturns(text)).toThrow(Error);
  });
});

describe('XML of banks', () => {
  test.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>x</a>'],
    ['an entity of its own', '<a>&b;</a>'],
    ['an open element', '<a><b></a>'],
    ['two roots', '<a/><b/>'],
    ['no element', ' '],
    ['too many levels', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`],
  ])('is refused with %s', (_, xml) => {
    expect(() => readXml(xml)).toThrow(Error);
  });
});

describe('reasons of banks', () => {
  test.each([
    ['AC01', 'invalid_account_number'],
    ['AC04', 'account_closed'],
    ['AC06', 'account_frozen'],
    ['AG01', 'recipient_not_allowed'],
    ['AM04', 'insufficient_funds'],
    ['BE01', 'name_mismatch'],
    ['MD07', 'account_closed'],
    ['RC01', 'invalid_bank_code'],
    ['RR04', 'compliance_rejected'],
    ['R01', 'insufficient_funds'],
    ['R02', 'account_closed'],
    ['R03', 'invalid_account_number'],
    ['R16', 'account_frozen'],
    ['MS03', 'provider_error'],
    [null, 'provider_error'],
  ])('%s is %s', (code, failure) => {
    expect(bankFailureOf(code, 'words').code).toBe(failure);
    expect(bankFailureOf(code, 'words').message).toContain('words');
  });
});
