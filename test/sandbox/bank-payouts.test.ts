import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { createSandboxBankExchange } from '../../src/sandbox/bank-payouts/bank-exchange.ts';
import { createFileWriters } from '../../src/server/rails/bank-files/file-writers.ts';
import type { FileExchange } from '../../src/server/rails/file-exchange.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const schemas = join(import.meta.dirname, '../../../shared/vectors/iso20022');

const writers = createFileWriters({
  debtor: { name: 'Nordlys Supply', iban: 'LT647044001231465456', bic: 'CBVILT2X' },
  originator: {
    routing: '110000000',
    bankName: 'Sandbox Bank',
    account: '000123456789',
    entryClass: 'PPD' as const,
    companyName: 'Nordlys Supply',
    companyId: '1123456789',
  },
});

const holders = ['Ada Lovelace', 'closed ACCOUNT', 'Slow Bank', 'Returned Later', 'Wrong Name'];

/** A file with a payment to each holder. */
function fileOf(rail: 'sepa' | 'ach', id: string): string {
  const account = rail === 'sepa' ? { iban: 'DE89370400440532013000' } : { routing: '021000021', account: '12345678' };
  const payments = holders.map((account_holder, index) => ({
    reference: `REF${index}`,
    amount: 1_000n,
    currency: rail === 'sepa' ? 'EUR' : 'USD',
    text: null,
    destination: { ...account, account_holder },
  }));
  const writer = writers.find(one => one.rail === rail);
  return writer?.write({ id, payments, createdAt: new Date('2026-11-20T12:00:00Z'), earlierToday: 0 }) ?? '';
}

describe('the sandbox bank', () => {
  let database: TestDatabase;
  let exchange: FileExchange;
  let now = new Date('2026-11-20T12:00:00Z');
  beforeAll(async () => {
    database = await createTestDatabase();
    exchange = createSandboxBankExchange({ db: database.db, clock: { now: () => now } });
  });
  afterAll(() => database.drop());

  async function answers(): Promise<string[]> {
    const names = await exchange.list(100);
    const contents = await Promise.all(names.map(async name => String(await exchange.read(name))));
    for (const name of names) await exchange.archive(name);
    return contents;
  }

  test.each([
    ['a control sum', (file: string) => file.replaceAll('<CtrlSum>50.00', '<CtrlSum>50.01'), 'sepa'],
    ['a number of payments', (file: string) => file.replace('<NbOfTxs>5', '<NbOfTxs>6'), 'sepa'],
    ['an IBAN', (file: string) => file.replace('DE89', 'DE88'), 'sepa'],
    ['two equal references', (file: string) => file.replaceAll('REF1', 'REF2'), 'sepa'],
    ['an entry hash', (file: string) => file.replace(/^(9.{30})./m, '$19'), 'ach'],
    ['a balance', (file: string) => file.replace(/^(627.{26})0000005000/m, '$10000005001'), 'ach'],
    ['a block', (file: string) => `${file}${'9'.repeat(94)}\n`, 'ach'],
  ] as const)('refuses a file in which %s is wrong', async (_, spoil, rail) => {
    const file = fileOf(rail, 'bf_wrong');
    expect(spoil(file)).not.toBe(file);
    await expect(exchange.put('wrong', spoil(file))).rejects.toThrow('the bank refuses the file');
    expect(await answers()).toEqual([]);
  });

  test.each(['sepa', 'ach'] as const)('answers a file of %s once, at once and later', async rail => {
    const file = fileOf(rail, `bf_${rail}`);
    await exchange.put(`${rail}-file`, file);
    await exchange.put(`${rail}-file`, file);
    const atOnce = await answers();
    expect(atOnce.join()).toContain('REF0');
    now = new Date(now.getTime() + 2_000);
    const returns = await answers();
    expect(returns).toHaveLength(1);
    expect(returns[0]).toContain('REF3');
    now = new Date(now.getTime() + 8_000);
    const slow = await answers();
    expect(slow).toHaveLength(1);
    expect(slow[0]).toContain('REF2');
    expect(await answers()).toEqual([]);
    await checkForm([...atOnce, ...returns, ...slow]);
  });
});

/** Checks XML with the official schemas, if present, and NACHA files for records of 94 characters. */
async function checkForm(answers: readonly string[]): Promise<void> {
  for (const answer of answers) {
    if (!answer.startsWith('<')) {
      const lines = answer.trimEnd().split('\n');
      expect(lines.filter(line => line.length !== 94)).toEqual([]);
      expect(lines.length % 10).toBe(0);
      continue;
    }
    const fileName = answer.includes('pain.002') ? 'pain.002.001.10.xsd' : 'camt.054.001.08.xsd';
    if (!existsSync(schemas)) continue;
    const schema = { fileName, contents: readFileSync(join(schemas, fileName), 'utf8') };
    const { errors } = await validateXML({ xml: { fileName: 'answer.xml', contents: answer }, schema });
    expect(errors.map(({ message }) => message)).toEqual([]);
  }
}
