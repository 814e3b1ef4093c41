import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SendOrder } from '../../../src/server/outbound/sender.ts';
import { documentsOf } from '../../../src/server/rails/bank-files/answers/answer-content.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type BankLab, openBankLab } from './bank-lab.ts';

let database: TestDatabase;
let bank: BankLab;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  // Answers of other tests would hold the files of this one only if they named them, but they would be counted.
  await database.pool.query('update put_aside_answers set handled_at = now(), handled_by = $1', ['test']);
  bank = await openBankLab(database.db);
  return () => bank.close();
});

/** Orders of one file, with the file's reference at the bank. */
async function filed(...amounts: readonly bigint[]) {
  const orders = amounts.map(amount => bank.order({ amount }));
  await bank.rail.send(orders);
  bank.advance(300);
  await bank.filing.run();
  const { reference } = await bank.outgoing();
  return { orders, file: reference ?? '' };
}

let answers = 0;
async function take(...contents: readonly (string | Buffer)[]) {
  for (const content of contents) await bank.answer(`answer-${String(++answers).padStart(5, '0')}.xml`, content);
  await bank.inbox.run();
}

const idOf = (order: SendOrder | undefined) => order?.id.replace('_', '-') ?? '';

async function statesOf(orders: readonly SendOrder[]) {
  return await Promise.all(
    orders.map(async order => {
      const status = await bank.status(order);
      return status?.state === 'failed' ? `failed ${status.code}` : (status?.state ?? 'none');
    }),
  );
}

const reasons = async () => (await bank.asides()).map(({ reason }) => reason);
const passDays = async (days: number) => {
  bank.advance(days * 86_400);
  await bank.inbox.run();
};

const statusReport = (file: string, levels: { group?: string; batch?: string; payments?: string }) =>
  `<Document><CstmrPmtStsRpt><GrpHdr><MsgId>M${++answers}</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${file}</OrgnlMsgId>${levels.group ?? ''}</OrgnlGrpInfAndSts>
  <OrgnlPmtInfAndSts><OrgnlPmtInfId>${file}</OrgnlPmtInfId>${levels.batch ?? ''}${levels.payments ?? ''}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
const groupIs = (status: string) => `<GrpSts>${status}</GrpSts>`;
const batchIs = (status: string, code = '') =>
  `<PmtInfSts>${status}</PmtInfSts>${code && `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`}`;
const paymentIs = (order: SendOrder | undefined, status: string, code = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${idOf(order)}</OrgnlEndToEndId><TxSts>${status}</TxSts>${code && `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`}</TxInfAndSts>`;

interface Returned {
  readonly currency?: string;
  readonly message?: string;
  readonly reference?: string;
}

const returnOf = (order: SendOrder | undefined, amount: string, { currency = 'EUR', ...more }: Returned = {}) =>
  `<Document><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>${more.message ?? `N${++answers}`}</MsgId></GrpHdr><Ntfctn><Id>1</Id><Ntry>
  <Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><Refs><EndToEndId>${more.reference ?? idOf(order)}</EndToEndId></Refs>
  <RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;

describe('levels of a status report', () => {
  test.each([
    ['a refused batch', { batch: batchIs('RJCT', 'DT01') }, ['failed provider_error', 'failed provider_error']],
    ['a refused group', { group: groupIs('RJCT') }, ['failed provider_error', 'failed provider_error']],
    [
      'an executed batch of a partial group',
      { group: groupIs('PART'), batch: batchIs('ACSC') },
      ['completed', 'completed'],
    ],
    ['an executed group', { group: groupIs('ACSC') }, ['completed', 'completed']],
  ])('decide what lies below them: %s', async (_, levels, states) => {
    const { orders, file } = await filed(300_00n, 20_00n);
    await take(statusReport(file, levels));
    expect(await statesOf(orders)).toEqual(states);
    expect(await reasons()).toEqual([]);
  });

  test('an acceptance before a rejection completes nothing', async () => {
    const { orders, file } = await filed(300_00n, 20_00n);
    await take(statusReport(file, { group: groupIs('ACCP') }));
    await take(statusReport(file, { payments: paymentIs(orders[0], 'RJCT', 'AC04') }));
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['failed account_closed', 'completed']);
  });

  test('a pending payment does not complete by date until the bank accepts it again', async () => {
    const { orders, file } = await filed(300_00n);
    await take(statusReport(file, { group: groupIs('ACCP') }), statusReport(file, { batch: batchIs('PDNG') }));
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['pending']);
    await take(statusReport(file, { payments: paymentIs(orders[0], 'ACSP') }));
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['completed']);
  });

  test('a rejection after completion by date is a return; after the bank’s own word it is put aside', async () => {
    const { orders, file } = await filed(300_00n, 20_00n);
    await take(statusReport(file, { group: groupIs('ACCP'), payments: paymentIs(orders[1], 'ACSC') }));
    await take(statusReport(file, { payments: paymentIs(orders[0], 'ACCP') }));
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['completed', 'completed']);
    const before = (await bank.returns()).length;
    await take(statusReport(file, { batch: batchIs('RJCT', 'AC04') }));
    expect((await bank.returns()).slice(before)).toMatchObject([{ orderId: orders[0]?.id, amount: 300_00n }]);
    expect(await reasons()).toEqual(['contradiction']);
    // The money of the refused payment comes back, and was credited already.
    await take(returnOf(orders[0], '300.00'));
    expect(await reasons()).toEqual(['contradiction']);
    await take(returnOf(orders[0], '300.00'));
    expect(await reasons()).toEqual(['contradiction', 'excess']);
    expect((await bank.returns()).length).toBe(before + 1);
  });

  test('payments that a partly accepted batch does not list wait until the operator has looked', async () => {
    const { orders, file } = await filed(300_00n, 20_00n);
    await take(statusReport(file, { batch: batchIs('PART'), payments: paymentIs(orders[0], 'RJCT', 'AC04') }));
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['failed account_closed', 'pending']);
    const [aside] = await bank.asides();
    await bank.dismiss(aside?.id ?? '');
    await passDays(0);
    expect(await statesOf(orders)).toEqual(['failed account_closed', 'completed']);
  });
});

describe('an answer that changes nothing', () => {
  const empty = '<Document><CstmrPmtStsRpt><OrgnlGrpInfAndSts/></CstmrPmtStsRpt></Document>';
  const statement = (text: string) =>
    `<Document><BkToCstmrStmt><Stmt><Id>${text}</Id></Stmt></BkToCstmrStmt></Document>`;

  test.each([
    ['an unknown status', 'unclear', ({ file }: Filed) => statusReport(file, { batch: batchIs('WHAT') }), true],
    [
      'a status without ids',
      'unclear',
      ({ file }: Filed) => statusReport(file, { payments: '<TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>' }),
      true,
    ],
    [
      'another payment',
      'unknown_payment',
      ({ file }: Filed) =>
        statusReport(file, {
          payments: paymentIs(undefined, 'RJCT').replace('<OrgnlEndToEndId>', '<OrgnlEndToEndId>other'),
        }),
      true,
    ],
    [
      'another file',
      'unknown_file',
      () => statusReport('bf-0000000000000000000000', { group: groupIs('RJCT') }),
      false,
    ],
    ['nothing of ours', 'unrelated', () => empty, false],
    ['a statement with our file', 'unsupported', ({ file }: Filed) => statement(file), true],
    ['a statement with our payment', 'unsupported', ({ orders }: Filed) => statement(idOf(orders[0])), true],
    ['a statement of others', 'unsupported', () => statement('1'), false],
    ['another kind of XML', 'unsupported', () => '<Document><Other/></Document>', false],
    ['another kind of file', 'unsupported', () => 'hello', false],
    [
      'half of a file',
      'unreadable',
      ({ file }: Filed) => statusReport(file, { group: groupIs('RJCT') }).slice(0, -30),
      true,
    ],
    ['a damaged archive', 'unreadable', () => zipOf({ 'a.xml': '<a/>' }).fill(7, 40, 60), true],
    [
      'a return in another currency',
      'other_currency',
      ({ orders }: Filed) => returnOf(orders[0], '300.00', { currency: 'USD' }),
      true,
    ],
    [
      'a return of another payment',
      'unknown_payment',
      () => returnOf(undefined, '5.00', { reference: 'ours-not' }),
      false,
    ],
    ['a NUL in a text', 'unsupported', () => 'he\0llo', false],
    ['a huge number', 'unreadable', ({ orders }: Filed) => returnOf(orders[0], '9'.repeat(2_000_000)), true],
  ] as const)('is put aside: %s', async (_, reason, content, holds) => {
    const work = await filed(300_00n);
    await take(statusReport(work.file, { group: groupIs('ACCP') }));
    await take(content(work));
    const [aside, ...more] = await bank.asides();
    expect([aside?.reason, more]).toEqual([reason, []]);
    expect(aside?.message).toMatch(/^[A-Z].{10,}\.$/s);
    expect(bank.errors).toHaveLength(1);
    expect(await bank.inFolder('inbox')).toEqual([]);
    await passDays(10);
    expect(await statesOf(work.orders)).toEqual([holds ? 'pending' : 'completed']);
    await bank.dismiss(aside?.id ?? '');
    await passDays(0);
    expect(await statesOf(work.orders)).toEqual(['completed']);
    expect(await reasons()).toEqual([]);
  });

  test('does not stop the files after it, even if it cannot be moved away', async () => {
    const { orders, file } = await filed(300_00n);
    for (let index = 0; index < 25; index++) {
      await bank.answer(`0-${String(index).padStart(2, '0')}.xml`, `<Document>${index}`);
    }
    await bank.answer('9.xml', statusReport(file, { group: groupIs('ACSC') }));
    bank.breakMoves(name => name.startsWith('0-'));
    await bank.inbox.run();
    await bank.inbox.run();
    expect(await statesOf(orders)).toEqual(['completed']);
    expect(await bank.asides()).toHaveLength(25);
    expect(await bank.inFolder('inbox')).toHaveLength(25);
    bank.breakMoves(() => false);
    for (let run = 0; run < 3; run++) await bank.inbox.run();
    expect(await bank.inFolder('inbox')).toEqual([]);
  });

  test('is put aside when it is too large to be read', async () => {
    const { orders, file } = await filed(300_00n);
    await take(statusReport(file, { group: groupIs('ACCP') }), Buffer.alloc(65 * 1024 * 1024));
    expect(await bank.asides()).toMatchObject([{ reason: 'unreadable', sha256: null }]);
    await passDays(10);
    expect(await statesOf(orders)).toEqual(['pending']);
  });
});

describe('a file that could not be read', () => {
  test('is put aside again when another archive of the same name has the same damaged entry', async () => {
    for (const text of ['<a/>', '<b/>']) {
      await bank.answer('answers.zip', zipOf({ 'a.xml': text, 'b.xml': 'unread' }).fill(0, 14, 18));
      await bank.inbox.run();
    }
    const names = (await bank.asides()).map(({ name }) => name);
    expect(names.filter(name => name.endsWith('zip/a.xml'))).toHaveLength(2);
  });

  test('because of an error of the service is booked when it comes again', async () => {
    const { orders, file } = await filed(300_00n);
    const rejection = statusReport(file, { group: groupIs('RJCT') });
    await database.pool.query(`create function broken() returns trigger language plpgsql as $$
      begin raise exception 'a defect'; end $$;
      create trigger broken before update on bank_orders for each row execute function broken()`);
    await take(rejection);
    await database.pool.query('drop trigger broken on bank_orders; drop function broken');
    expect(await reasons()).toEqual(['unreadable']);
    expect(await statesOf(orders)).not.toContain('failed');
    await take(rejection);
    expect((await statesOf(orders))[0]).toMatch(/^failed/);
  });
});

interface Filed {
  readonly orders: readonly SendOrder[];
  readonly file: string;
}

describe('returned money', () => {
  const amountsOf = async (order: SendOrder | undefined) =>
    (await bank.returns()).filter(({ orderId }) => orderId === order?.id).map(({ amount }) => amount);

  test('in parts adds up to the payment, and the excess is put aside', async () => {
    const { orders, file } = await filed(300_00n);
    await take(statusReport(file, { group: groupIs('ACSC') }));
    const [first, second] = [returnOf(orders[0], '120.00'), returnOf(orders[0], '180.00')];
    await take(first, first, gzipSync(first), second, second);
    expect(await amountsOf(orders[0])).toEqual([120_00n, 180_00n]);
    expect(await reasons()).toEqual([]);
    await take(returnOf(orders[0], '1.00'));
    expect(await amountsOf(orders[0])).toEqual([120_00n, 180_00n]);
    expect(await bank.asides()).toMatchObject([
      { reason: 'excess', amount: '1.00', currency: 'EUR', order_amount: 300_00n, order_currency: 'EUR' },
    ]);
  });

  test('in another currency is never credited at its face value', async () => {
    const { orders, file } = await filed(400_00n);
    await take(statusReport(file, { group: groupIs('ACSC') }));
    await take(returnOf(orders[0], '400.00', { currency: 'USD' }), returnOf(orders[0], '90', { currency: 'JPY' }));
    expect(await amountsOf(orders[0])).toEqual([]);
    expect(await bank.asides()).toMatchObject([
      { reason: 'other_currency', amount: '400.00', currency: 'USD', order_amount: 400_00n, order_currency: 'EUR' },
      { reason: 'other_currency', amount: '90', currency: 'JPY', order_amount: 400_00n, order_currency: 'EUR' },
    ]);
  });

  test('in any sequence of answers is never more than was sent', async () => {
    const levels = fc.constantFrom('ACCP', 'ACSC', 'RJCT', 'PDNG', 'PART', 'RCVD', 'WHAT');
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('status' as const),
        level: fc.constantFrom('group', 'batch', 'one'),
        status: levels,
      }),
      fc.record({
        kind: fc.constant('return' as const),
        cents: fc.integer({ min: 1, max: 400_00 }),
        currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
        message: fc.constantFrom('A', 'B', 'C'),
      }),
      fc.record({ kind: fc.constant('days' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async steps => {
        const { orders, file } = await filed(300_00n, 20_00n);
        const [order] = orders;
        for (const one of steps) {
          if (one.kind === 'days') await passDays(10);
          else if (one.kind === 'return') {
            const { message, currency } = one;
            await take(returnOf(order, (one.cents / 100).toFixed(2), { message: message + file, currency }));
          } else if (one.level === 'one') await take(statusReport(file, { payments: paymentIs(order, one.status) }));
          else
            await take(
              statusReport(file, { [one.level]: one.level === 'group' ? groupIs(one.status) : batchIs(one.status) }),
            );
        }
        const [state] = await statesOf(orders);
        const back = (await amountsOf(order)).reduce((sum, amount) => sum + amount, 0n);
        expect(back).toBeLessThanOrEqual(300_00n);
        // A failed payment is released as a whole, so none of its money comes back a second time.
        if (state !== 'completed') expect(back).toBe(0n);
      }),
      { numRuns: 25 },
    );
  });
});

/** A ZIP archive of these files, compressed. */
function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const head = Buffer.alloc(30);
    const entry = Buffer.alloc(46);
    head.writeUInt32LE(0x04034b50, 0);
    entry.writeUInt32LE(0x02014b50, 0);
    for (const [buffer, offset] of [
      [head, 8],
      [entry, 10],
    ] as const) {
      buffer.writeUInt16LE(8, offset);
      buffer.writeUInt32LE(crc32(raw), offset + 6);
      buffer.writeUInt32LE(packed.length, offset + 10);
      buffer.writeUInt32LE(raw.length, offset + 14);
      buffer.writeUInt16LE(name.length, offset + 18);
    }
    entry.writeUInt32LE(at, 42);
    bodies.push(head, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, list, end]);
}

describe('a file of the bank', () => {
  const declared = (xml: string, encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${xml}`;
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

  test.each([
    ['gzip', (xml: string) => gzipSync(xml)],
    ['ZIP', (xml: string) => zipOf({ 'folder/status.xml': xml })],
    [
      'UTF-16 with a mark',
      (xml: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(declared(xml, 'UTF-16'), 'utf16le')]),
    ],
    ['UTF-16, big-endian', (xml: string) => Buffer.concat([Buffer.from([0xfe, 0xff]), swapped(xml)])],
    ['UTF-8 with a mark', (xml: string) => `\ufeff${xml}`],
    ...['ISO-8859-1', 'ISO-8859-15', 'Windows-1252'].map(
      encoding => [encoding, (xml: string) => Buffer.from(declared(xml, encoding), 'latin1')] as const,
    ),
  ] as const)('is read in %s', async (_, pack) => {
    const { orders, file } = await filed(300_00n);
    const reason = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Empfänger unbekannt</AddtlInf></StsRsnInf>';
    await take(pack(statusReport(file, { group: `${groupIs('RJCT')}${reason}` })));
    expect(await bank.status(orders[0] as SendOrder)).toMatchObject({
      state: 'failed',
      code: 'account_closed',
      message: expect.stringContaining('Empfänger unbekannt'),
    });
    expect(await reasons()).toEqual([]);
  });

  test('may be an archive in which one file is damaged, or far larger than it says', async () => {
    const { orders, file } = await filed(300_00n);
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    await take(zipOf({ 'a.xml.gz': bomb, 'b.xml': '<a>', 'c.xml': statusReport(file, { group: groupIs('ACSC') }) }));
    expect(await statesOf(orders)).toEqual(['completed']);
    expect(await reasons()).toEqual(['unreadable', 'unreadable']);
  });

  test('unpacks to a bounded size, however many archives it holds', () => {
    const large = gzipSync(Buffer.alloc(40_000_000, ' '));
    const found = documentsOf('many.zip', zipOf({ 'a.gz': large, 'b.gz': large, 'c.gz': large }));
    expect(found.map(({ problem }) => problem === null)).toEqual([true, false, false]);
    const stored = zipOf({ 'a.xml': 'stored' });
    for (const offset of [8, stored.readUInt32LE(stored.length - 6) + 10]) stored.writeUInt16LE(0, offset);
    expect(documentsOf('stored.zip', stored)).toMatchObject([{ problem: 'the file in the archive is damaged' }]);
  });
});

const vectors = join(import.meta.dirname, '../../../../shared/vectors/bank-answers');

describe.skipIf(!existsSync(vectors))(
  'answers in the shapes that banks send (skipped without ../shared/vectors)',
  () => {
    const fill = (name: string, { orders, file }: Filed) =>
      readFileSync(join(vectors, name), 'utf8')
        .replaceAll('{FILE_ID}', file)
        .replaceAll('{OUR_IBAN}', 'LT647044001231465456')
        .replace(/\{(?:END_TO_END|INSTRUCTION)_ID_(\d)\}/g, (_, place) => idOf(orders[Number(place) - 1]));

    test.each([
      ['pain002-batch-rejected-no-ids.xml', ['failed DT01', 'failed DT01']],
      ['pain002-batch-rejected-one-listed.xml', ['failed AC01', 'failed AM05']],
      ['pain002-by-instruction-id.xml', ['failed AC04', 'pending']],
      ['camt054-batch-booking-with-details.xml', ['completed', 'completed']],
    ])('%s', async (name, states) => {
      const work = await filed(300_00n, 20_00n);
      await take(fill(name, work));
      await passDays(10);
      const found = await Promise.all(work.orders.map(order => bank.status(order)));
      expect(
        found.map(one => (one?.state === 'failed' ? `failed ${/[A-Z]{2}\d\d/.exec(one.message)?.[0]}` : one?.state)),
      ).toEqual(states);
      expect(await reasons()).toEqual([]);
    });

    test('amounts with leading zeros', async () => {
      const work = await filed(10_00n, 20_00n);
      await take(fill('camt054-amount-leading-zeros.xml', work));
      expect(await statesOf(work.orders)).toEqual(['failed account_closed', 'failed account_closed']);
    });

    test('returns in parts, and in another currency', async () => {
      const work = await filed(300_00n);
      const before = (await bank.returns()).length;
      const [first, second] = ['first', 'second'].map(part => fill(`camt054-return-${part}-part.xml`, work));
      await take(first ?? '', second ?? '', second ?? '');
      expect((await bank.returns()).slice(before).map(({ amount }) => amount)).toEqual([120_00n, 180_00n]);
      const other = await filed(400_00n);
      await take(fill('camt054-return-other-currency.xml', other));
      expect((await bank.returns()).length).toBe(before + 2);
      expect(await reasons()).toEqual(['other_currency']);
    });
  },
);
