import { type FileHandle, open } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findAll, readXml } from '../../../src/core/xml.ts';
import type { SendOrder } from '../../../src/server/outbound/sender.ts';
import { createBankInboxSweep } from '../../../src/server/rails/bank-files/answers/answer-inbox.service.ts';
import { createBankFileSweep } from '../../../src/server/rails/bank-files/file-out.service.ts';
import { createBankFileRail } from '../../../src/server/rails/bank-files/file-rail.ts';
import { createFileWriters, type FileWriter } from '../../../src/server/rails/bank-files/file-writers.ts';
import type { FileExchange } from '../../../src/server/rails/file-exchange.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type BankLab, openBankLab } from './bank-lab.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const report = (file: string | null, group: string, payments = '') =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlGrpInfAndSts>
  <OrgnlMsgId>${file}</OrgnlMsgId>${group}</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts>${payments}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;

const returned = (order: SendOrder, amount: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn><Ntfctn><Ntry>
  <CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><Refs><EndToEndId>${order.id.replace('_', '-')}</EndToEndId></Refs>
  <Amt Ccy="EUR">${amount}</Amt><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;

describe('a bank that exchanges files in a folder', () => {
  let bank: BankLab;
  beforeEach(async () => {
    bank = await openBankLab(database.db);
    return () => bank.close();
  });

  async function filed(...orders: readonly SendOrder[]) {
    await bank.rail.send(orders);
    bank.advance(300);
    await bank.filing.run();
    return await bank.outgoing();
  }

  test('gets one file of the orders that came within the pause', async () => {
    const orders = [bank.order(), bank.order({ amount: 5n })];
    expect(await bank.rail.send(orders)).toMatchObject(
      orders.map(({ id }) => ({ state: 'pending', railReference: id })),
    );
    await bank.filing.run();
    expect(await bank.inFolder('outbox')).toEqual([]);
    bank.advance(300);
    await bank.filing.run();
    const { content, name } = await bank.outgoing();
    const amounts = findAll(readXml(content), 'CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf/Amt/InstdAmt');
    expect(amounts.map(({ text }) => text).toSorted()).toEqual(['0.05', '10.00']);
    for (const order of orders) {
      const fileId = /^sepa-(bf_\w+)\.xml$/.exec(name)?.[1];
      expect(await bank.status(order)).toEqual({ state: 'pending', railReference: fileId });
    }
    await bank.filing.run();
    expect(await bank.inFolder('outbox')).toEqual([]);
  });

  test('gets a full file at once, and one before the cut-off without the pause', async () => {
    await bank.rail.send([bank.order(), bank.order(), bank.order()]);
    await bank.filing.run();
    await bank.outgoing();
    // Two minutes before 15:00 in Berlin.
    bank.advance(3_600 + 58 * 60);
    await bank.rail.send([bank.order()]);
    await bank.filing.run();
    expect((await bank.outgoing()).content).toContain('<Dt>2026-11-20</Dt>');
  });

  test('gets the files of a rail, although the files of another rail cannot be written', async () => {
    const { db } = database;
    const clock = { now: () => new Date('2026-11-20T12:10:00Z') };
    const wake = () => undefined;
    const swift = createBankFileRail({ db, clock, rail: 'swift', livemode: true, wake });
    const abroad = { iban: 'AE070331234567890123456', bic: 'EBILAEAD', type: 'bank_account', account_holder: 'Ada' };
    const stuck = bank.order({ destination: abroad });
    expect(await swift.send([stuck])).toMatchObject([{ state: 'pending' }]);
    const order = bank.order();
    await bank.rail.send([order]);
    const broken: FileWriter = {
      rail: 'swift',
      extension: 'xml',
      write: () => {
        throw new RangeError('the account of the service is wrong');
      },
    };
    const writers = [broken, ...bank.writers.filter(({ rail }) => rail !== 'swift')];
    const filing = { db, clock, wake, exchange: bank.exchange, writers, pauseSeconds: 300, mostPayments: 1 };
    await expect(createBankFileSweep(filing).run()).rejects.toThrow('the account of the service is wrong');
    expect((await bank.outgoing()).content).toContain(order.id.replace('_', '-'));
    await database.pool.query('delete from bank_orders where id = $1', [stuck.id]);
  });

  test('gets an ACH file late, and its payments count as paid only days after that', async () => {
    const { db } = database;
    let now = new Date('2026-11-20T12:10:00Z');
    const clock = { now: () => now };
    const wake = () => undefined;
    const ach = createBankFileRail({ db, clock, rail: 'ach', livemode: true, wake });
    const account = {
      type: 'bank_account',
      routing: '021000021',
      account: '12345',
      country: 'US',
      account_holder: 'Ada',
    };
    const order = bank.order({ destination: account, currency: 'USD' });
    await ach.send([order]);
    const originator = {
      routing: '110000000',
      bankName: 'Bank',
      account: '000123456789',
      companyId: '1000000000',
      companyName: 'Nordlys Supply',
      entryClass: 'PPD',
    } as const;
    const writers = createFileWriters({ debtor: null, originator });
    let isAway = true;
    const put: FileExchange['put'] = (name, content) =>
      isAway ? Promise.reject(new Error('the folder is away')) : bank.exchange.put(name, content);
    const exchange = { ...bank.exchange, put };
    const filing = createBankFileSweep({ db, clock, wake, exchange, writers, pauseSeconds: 300, mostPayments: 1 });
    const inbox = createBankInboxSweep({ db, clock, exchange, log: console });
    const days = async (count: number) => {
      now = new Date(now.getTime() + count * 86_400_000);
      await inbox.run();
      return (await ach.status([order.id], now))[0]?.state;
    };
    await expect(filing.run()).rejects.toThrow('the folder is away');
    expect(await days(10)).toBe('pending');
    isAway = false;
    await filing.run();
    expect(await bank.inFolder('outbox')).toHaveLength(1);
    expect(await days(0)).toBe('pending');
    expect(await days(10)).toBe('completed');
  });

  test('gets a file whose name survives a power failure, also when a crash left it there', async () => {
    const handle = await open(import.meta.filename);
    const { sync } = Object.getPrototypeOf(handle);
    const spy = vi.spyOn(Object.getPrototypeOf(handle), 'sync');
    await handle.close();
    const synced: boolean[] = [];
    spy.mockImplementation(async function (this: FileHandle) {
      synced.push((await this.stat()).isDirectory());
      await sync.call(this);
    });
    try {
      await bank.exchange.put('a.xml', 'one');
      // The exchange with the new folder, the file, the folder with its new name.
      expect(synced).toEqual([true, false, true]);
      await bank.exchange.put('a.xml', 'one');
      expect(synced).toEqual([true, false, true, true]);
    } finally {
      spy.mockRestore();
    }
  });

  test('keeps a file that is there already', async () => {
    await bank.exchange.put('a.xml', 'one');
    await bank.exchange.put('a.xml', 'one');
    expect(await bank.inFolder('outbox')).toEqual(['a.xml']);
  });

  test('may refuse a whole file, or all but some payments', async () => {
    const [good, bad] = [bank.order(), bank.order()];
    const { reference } = await filed(good, bad);
    const completed = `<TxInfAndSts><OrgnlEndToEndId>${good.id.replace('_', '-')}</OrgnlEndToEndId><TxSts>ACSC</TxSts></TxInfAndSts>`;
    const reason = '<StsRsnInf><Rsn><Cd>AM04</Cd></Rsn></StsRsnInf>';
    await bank.answer('status.xml', report(reference, `<GrpSts>RJCT</GrpSts>${reason}`, completed));
    await bank.inbox.run();
    expect(await bank.status(good)).toMatchObject({ state: 'completed' });
    expect(await bank.status(bad)).toMatchObject({ state: 'failed', code: 'insufficient_funds' });
    expect([await bank.inFolder('inbox'), await bank.inFolder('done')]).toEqual([[], ['status.xml']]);
  });

  test('may refuse a file that it has already: the payments of the first one stay open', async () => {
    const orders = [bank.order(), bank.order()];
    const { reference } = await filed(...orders);
    const repeated = '<StsRsnInf><Rsn><Cd>AM05</Cd></Rsn></StsRsnInf>';
    const payment = `<TxInfAndSts><OrgnlEndToEndId>${orders[0]?.id.replace('_', '-')}</OrgnlEndToEndId><TxSts>RJCT</TxSts>`;
    await bank.answer('1.xml', report(reference, `<GrpSts>RJCT</GrpSts>${repeated}`));
    await bank.answer('2.xml', report(reference, '', `${payment}${repeated}</TxInfAndSts>`));
    await bank.answer('3.xml', report(reference, `<GrpSts>RJCT</GrpSts>${repeated}`, `${payment}</TxInfAndSts>`));
    await bank.inbox.run();
    for (const order of orders) expect(await bank.status(order)).toMatchObject({ state: 'pending' });
    expect(bank.errors).toHaveLength(3);
    await bank.answer('4.xml', report(reference, '<GrpSts>ACSC</GrpSts>'));
    await bank.inbox.run();
    for (const order of orders) expect(await bank.status(order)).toMatchObject({ state: 'completed' });
  });

  test('completes accepted payments when they arrive, if it reports nothing more', async () => {
    const order = bank.order();
    const { reference } = await filed(order);
    await bank.answer('status.xml', report(reference, '<GrpSts>ACCP</GrpSts>'));
    await bank.inbox.run();
    bank.advance(2 * 86_400);
    await bank.inbox.run();
    expect(await bank.status(order)).toMatchObject({ state: 'pending' });
    // Monday evening.
    bank.advance(86_400 + 6 * 3_600);
    await bank.inbox.run();
    expect(await bank.status(order)).toMatchObject({ state: 'completed' });
  });

  test('reports a return once, whatever the names of its files', async () => {
    const order = bank.order();
    const { reference } = await filed(order);
    await bank.answer('1.xml', report(reference, '<GrpSts>ACSC</GrpSts>'));
    await bank.inbox.run();
    const { cursor } = await bank.rail.findReturns(null, 100);
    await bank.answer('2.xml', returned(order, '9.50'));
    await bank.inbox.run();
    await bank.answer('3.xml', returned(order, '9.50'));
    await bank.answer('4.xml', returned(order, '9.500'));
    await bank.inbox.run();
    const { returns } = await bank.rail.findReturns(cursor, 100);
    expect(returns).toMatchObject([{ orderId: order.id, amount: 950n, code: 'account_closed' }]);
    expect(await bank.status(order)).toMatchObject({ state: 'completed' });
  });

  test('whose money is returned before it was paid has failed', async () => {
    const order = bank.order();
    await filed(order);
    await bank.answer('1.xml', returned(order, '10.00'));
    await bank.inbox.run();
    expect(await bank.status(order)).toMatchObject({ state: 'failed', code: 'account_closed' });
  });

  test('may still be writing a file that appears under its own name', async () => {
    const order = bank.order();
    const { reference } = await filed(order);
    const content = report(reference, '<GrpSts>ACSC</GrpSts>');
    await bank.answer('1.xml', content.slice(0, 200), 3);
    await bank.inbox.run();
    expect([bank.errors, await bank.inFolder('inbox')]).toEqual([[], ['1.xml']]);
    await bank.answer('1.xml', content.slice(200));
    await bank.inbox.run();
    expect(await bank.status(order)).toMatchObject({ state: 'completed' });
    expect([bank.errors, await bank.inFolder('inbox')]).toEqual([[], []]);
  });

  test('may send files that cannot be read, or are unfinished', async () => {
    const order = bank.order();
    const { reference } = await filed(order);
    await bank.answer('1.xml', '<Document><open></Document>');
    await bank.answer('2.txt', 'hello');
    await bank.answer('3.xml.part', report(reference, '<GrpSts>RJCT</GrpSts>'));
    await bank.answer('4.xml', report(reference, '<GrpSts>ACSC</GrpSts>'));
    await bank.inbox.run();
    expect(bank.errors).toHaveLength(2);
    expect(await bank.status(order)).toMatchObject({ state: 'completed' });
    expect(await bank.inFolder('inbox')).toEqual(['3.xml.part']);
  });
});
