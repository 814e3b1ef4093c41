import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { readXml } from '../../../src/core/xml.ts';
import { readCamt054 } from '../../../src/server/rails/bank-files/answers/camt054.ts';
import { readNachaReturns } from '../../../src/server/rails/bank-files/answers/nacha-return.ts';
import { readPain002 } from '../../../src/server/rails/bank-files/answers/pain002.ts';
import { bankFailureOf } from '../../../src/server/rails/bank-files/answers/reason-codes.ts';

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

type Sample = readonly [name: string, xml: string, reports: readonly object[]];

const statusReports: readonly Sample[] = [
  [
    'a file that was refused',
    report(`<GrpSts>RJCT</GrpSts>${because('AM04')}`),
    [{ reference: null, state: 'failed', code: 'AM04' }],
  ],
  ['a file that was taken', report('<GrpSts>ACTC</GrpSts>'), [{ reference: null, state: 'accepted' }]],
  ['a file that was received', report('<GrpSts>RCVD</GrpSts>'), [{ reference: null, state: 'received' }]],
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
      { file: 'bf-1', reference: null, state: 'partial' },
      { file: 'bf-1', reference: 'po-1', state: 'completed', code: null },
      { file: 'bf-1', reference: 'po-2', state: 'failed', code: 'AC04', text: 'closed & gone' },
      { file: 'bf-1', reference: 'po-3', state: 'pending' },
    ],
  ],
  [
    'payments with the status of their group',
    report(
      '',
      inGroup(`<PmtInfSts>RJCT</PmtInfSts>${because('RR04')}${payment('po-1', '')}${payment('po-2', 'ACCC')}`),
    ),
    [
      { reference: null, state: 'failed', code: 'RR04' },
      { reference: 'po-1', state: 'failed', code: 'RR04' },
      { reference: 'po-2', state: 'completed' },
    ],
  ],
  [
    'several reasons and texts',
    report(
      `<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>one</AddtlInf><AddtlInf>two</AddtlInf></StsRsnInf>${because('MS03', 'three')}`,
    ),
    [{ reference: null, state: 'failed', code: 'AC04', text: 'one two MS03 three' }],
  ],
  ...(['ACCP', 'ACTC', 'ACSC', 'ACWC', 'PDNG', 'PART'] as const).map((status): Sample => {
    const states = { ACCP: 'accepted', ACTC: 'accepted', ACWC: 'accepted' } as const;
    const state = { ...states, ACSC: 'completed', PDNG: 'pending', PART: 'partial' }[status];
    return [`a batch that is ${status}`, report('', inGroup(`<PmtInfSts>${status}</PmtInfSts>`)), [{ state }]];
  }),
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

const notifications: readonly Sample[] = [
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
  [
    'one debit for a file with details, and entries of payments of others',
    notification(
      entry('DBIT', '<Btch><PmtInfId>bf-1</PmtInfId></Btch><TxDtls><Purp><Cd>SALA</Cd></Purp></TxDtls>') +
        entry('CRDT', details('invoice-12')),
    ),
    [{ file: 'bf-1', reference: null, state: 'completed' }],
  ],
  [
    'a debit by its instruction',
    notification(
      entry('DBIT', '<TxDtls><Refs><InstrId>po-1</InstrId><EndToEndId>NOTPROVIDED</EndToEndId></Refs></TxDtls>'),
    ),
    [{ reference: 'po-1', state: 'completed' }],
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
    const { reports: found, problems } = readPain002(readXml(xml));
    expect(problems).toEqual([]);
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject([...expected]);
  });
});

describe('a debit and credit notification', () => {
  test.each(notifications)('of %s', (_, xml, expected) => {
    const { reports: found } = readCamt054(readXml(xml));
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject([...expected]);
  });

  test.each([
    ['000000000000010.00', 1_000n],
    ['+10.000', 1_000n],
    ['.5', 50n],
    ['10.', 1_000n],
    ['1e3', null],
    ['-10.00', null],
    ['10.001', null],
    ['', null],
    ['1'.repeat(1_000_000), null],
    [`${'0'.repeat(500_000)}1`, null],
  ])('reads an amount by its schema, and loses no neighbour (%#)', (text, amount) => {
    const two =
      entry('CRDT', details('po-1', returned('AC04'), `<Amt Ccy="EUR">${text}</Amt>`)) +
      entry('CRDT', details('po-2', returned('AC04')), undefined, '<RvslInd>1</RvslInd>');
    const { reports, problems } = readCamt054(readXml(notification(two)));
    expect(reports.map(report => report.amount)).toEqual(amount === null ? [1_250n] : [amount, 1_250n]);
    expect(problems.map(({ reference }) => reference)).toEqual(amount === null ? ['po-1'] : []);
  });

  test('of older versions and with prefixes is read too', () => {
    const plain = notification(entry('DBIT', details('po-1'), 'BOOK')).replace(/<(\/?)(\w)/g, '<$1bank:$2');
    expect(readCamt054(readXml(plain)).reports).toMatchObject([{ reference: 'po-1', state: 'completed' }]);
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

const returnedEntry = {
  file: null,
  reference: 'ABC123456789012',
  state: 'returned',
  amount: 12_345n,
  currency: null,
  code: 'R03',
  text: 'NO SUCH ACCOUNT',
  entry: 'ach:2611240905A/021000020000001',
};

describe('returns of ACH payments', () => {
  test('name the payment, its amount and the reason', () => {
    expect(readNachaReturns(achReturn('99', 'R03'))).toEqual({ reports: [returnedEntry], problems: [] });
  });

  test.each([
    ['line ends of another system', (text: string) => text.replaceAll('\r\n', '\r')],
    ['no line ends', (text: string) => text.replaceAll('\r\n', '')],
    ['trimmed lines', (text: string) => text.replace(/ +\r\n/g, '\r\n')],
    ['padded lines', (text: string) => text.replaceAll('\r\n', '   \r\n')],
    ['a line for each block', (text: string) => `${text.replaceAll('\r\n', '')}\n`],
  ])('are read with %s', (_, change) => {
    const text = change(achReturn('99', 'R03'));
    expect(readNachaReturns(text)).toEqual({ reports: [returnedEntry], problems: [] });
  });

  test('are read from several files in one, where one file is incomplete', () => {
    const half = achReturn('99', 'R02').split('\r\n').slice(0, -2).join('\r\n');
    const { reports, problems } = readNachaReturns(
      [achReturn('99', 'R03'), half, achReturn('99', 'R04', { reference: 'DEF' })].join('\r\n'),
    );
    expect(reports.map(({ reference, code }) => [reference, code])).toEqual([
      ['ABC123456789012', 'R03'],
      ['DEF', 'R04'],
    ]);
    expect(problems).toMatchObject([{ reason: 'unreadable' }]);
  });

  test('are told apart from rejections of our own records', () => {
    const [header = '', batch = '', entry = ''] = achReturn('99', 'R03').split('\r\n');
    const rejected = `${entry.slice(0, 79)}REJR03`.padEnd(94);
    const control = `900000100000100000001${'0'.repeat(34)}`.padEnd(94);
    const { reports } = readNachaReturns([header, batch, rejected, control].join('\r\n'));
    expect(reports).toMatchObject([{ reference: 'ABC123456789012', state: 'failed', code: 'R03', amount: null }]);
    const whole = `${batch.slice(0, 79)}REJUNKNOWN ID`;
    const plain = [header, whole, entry, control].join('\n');
    expect(readNachaReturns(plain).reports).toMatchObject([{ state: 'failed', code: null, text: 'UNKNOWN ID' }]);
  });

  test.each([
    ['a correction', achReturn('98', 'C01'), 'unclear'],
    ['records of a wrong length', achReturn('99', 'R03').replace('ADA LOVELACE', 'ADA'), 'unreadable'],
    ['half of a file', achReturn('99', 'R03').split('\r\n').slice(0, -2).join('\r\n'), 'unreadable'],
    ['fewer entries than the file control states', achReturn('99', 'R03').replace(/^7.*\r\n/m, ''), 'unreadable'],
    ['an amount that is no number', achReturn('99', 'R03', { amount: 'x'.repeat(10) }), 'unreadable'],
  ])('are put aside: %s', (_, text, reason) => {
    expect(readNachaReturns(text)).toMatchObject({ reports: [], problems: [{ reason }] });
  });

  test('are refused in another text', () => {
    expect(() => readNachaReturns('hello')).toThrow(Error);
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
    ['a long attribute', `<a b="${'1'.repeat(1_000_000)}"/>`],
    ['many attributes', `<a ${Array.from({ length: 100 }, (_, index) => `b${index}="1"`).join(' ')}/>`],
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
