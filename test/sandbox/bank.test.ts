import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoutingNumber } from '../../src/core/bank/aba.ts';
import { isIban } from '../../src/core/bank/iban.ts';
import { addSeconds } from '../../src/core/clock.ts';
import { newId, randomText } from '../../src/core/id.ts';
import { storeCredits } from '../../src/sandbox/bank.store.ts';
import { createSandboxBank, type SandboxBank } from '../../src/sandbox/bank.ts';
import { sandboxDb } from '../../src/sandbox/sandbox-tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
let database: TestDatabase;
let sepa: SandboxBank;
let ach: SandboxBank;
beforeAll(async () => {
  database = await createTestDatabase();
  sepa = createSandboxBank({ db: database.db, rail: 'sepa', delaySeconds: 30 });
  ach = createSandboxBank({ db: database.db, rail: 'ach' });
});
afterAll(() => database.drop());

const incoming = (changes: object = {}) => ({
  merchantId: newId('account'),
  amount: 1_000n,
  currency: 'EUR',
  reference: null,
  sender: null,
  bankReference: null,
  now,
  ...changes,
});

function valuesOf(bank: SandboxBank, request: { payee?: string; amount?: bigint; reference?: string } = {}) {
  const merchantId = newId('account');
  const defaults = { merchantId, payee: 'Nordlys Supply', reference: bank.newReference(), amount: 12_840n };
  const { rows, qr } = bank.instructions({ ...defaults, ...request });
  return { values: Object.fromEntries(rows.map(row => [row.name, row.value])), rows, qr };
}

describe('SEPA instructions', () => {
  test('give every merchant its own valid IBAN at a bank that does not exist', () => {
    const ibans = Array.from({ length: 200 }, () => valuesOf(sepa).values['iban'] ?? '');
    expect(ibans.filter(iban => !isIban(iban))).toEqual([]);
    expect(new Set(ibans).size).toBe(200);
    for (const iban of ibans) expect(iban).toMatch(/^LT\d\d 9990 0\d{3} \d{4} \d{4}$/);
    expect(valuesOf(sepa).values['bic']).toMatch(/^[A-Z]{4}LT[2-9]0$/);
  });

  test('include a QR code with the same values', () => {
    const { values, qr } = valuesOf(sepa);
    const lines = qr?.payload.split('\n') ?? [];
    expect(qr?.format).toBe('epc');
    expect(lines[4]).toBe(values['bic']);
    expect(lines[5]).toBe(values['account_holder']);
    expect(lines[6]).toBe(values['iban']?.replaceAll(' ', ''));
    expect(lines[7]).toBe(`EUR${values['amount']}`);
    expect(lines.at(-1)).toBe(values['reference']);
  });

  test('include no QR code outside of the standard’s limits', () => {
    expect(valuesOf(sepa, { amount: 100_000_000_000n }).qr).toBeNull();
  });
});

test('ACH instructions have a valid routing number and no QR code', () => {
  const { values, rows, qr } = valuesOf(ach);
  expect(isRoutingNumber(values['routing_number'] ?? '')).toBe(true);
  expect(values['account_number']).toMatch(/^\d{12}$/);
  expect(rows.map(row => row.name)).toEqual([
    'account_holder',
    'routing_number',
    'account_number',
    'account_type',
    'reference',
    'amount',
  ]);
  expect(qr).toBeNull();
});

test('a reference fits the identification field of an ACH entry', () => {
  expect(ach.newReference()).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$/);
});

describe('a credit', () => {
  test.each([
    ['in another currency', { currency: 'USD' }, 'parameter_invalid', 'currency'],
    ['of zero', { amount: 0n }, 'invalid_amount', 'amount'],
    ['with a NUL in its text', { reference: 'a\0b' }, 'parameter_invalid', 'reference'],
  ])('%s is refused', async (_, changes, code, param) => {
    await expect(sepa.credit(incoming(changes))).rejects.toMatchObject({ code, param });
  });

  test('under the bank reference of another transfer is refused, and of the same transfer is returned', async () => {
    const first = incoming({ bankReference: randomText(12), sender: 'Ada Lovelace' });
    const booked = await sepa.credit(first);
    expect(await sepa.credit({ ...first, now: addSeconds(now, 60) })).toEqual(booked);
    await expect(sepa.credit({ ...first, amount: 1_001n })).rejects.toMatchObject({ param: 'bank_reference' });
    expect((await sepa.credit({ ...first, merchantId: newId('account') })).railReference).toBe(booked.railReference);
  });

  test('without a bank reference gets a generated one', async () => {
    const [a, b] = [await sepa.credit(incoming()), await sepa.credit(incoming())];
    expect(a.railReference).not.toBe(b.railReference);
  });
});

describe('the list of credits', () => {
  const row = (bankReference: string) => ({
    rail: 'sepa',
    merchant_id: newId('account'),
    bank_reference: bankReference,
    amount: 1n,
    currency: 'EUR',
    reference: null,
    sender: null,
    created_at: now,
  });
  async function end(): Promise<string | null> {
    let { cursor, credits } = await sepa.findCredits(null, 1000);
    while (credits.length > 0) ({ cursor, credits } = await sepa.findCredits(cursor, 1000));
    return cursor;
  }

  test.each(['commit', 'rollback'] as const)(
    'shows no credit while an older one is uncommitted (%s)',
    async decision => {
      const db = sandboxDb(database.db);
      const cursor = await end();
      const slow = await db.startTransaction().execute();
      await storeCredits(slow, 'sepa', [row(`slow-${decision}`)]);
      const fast = storeCredits(db, 'sepa', [row(`fast-${decision}`)]);
      const early = await Promise.race([
        fast.then(() => 'booked'),
        new Promise(done => setTimeout(done, 150, 'waits')),
      ]);
      expect(early).toBe('waits');
      expect((await sepa.findCredits(cursor, 10)).credits).toEqual([]);
      await slow[decision]().execute();
      await fast;
      const seen = (await sepa.findCredits(cursor, 10)).credits.map(credit => credit.railReference);
      expect(seen).toEqual(decision === 'commit' ? ['slow-commit', 'fast-commit'] : ['fast-rollback']);
    },
  );

  test('of one rail does not contain those of another', async () => {
    const cursor = (await ach.findCredits(null, 1000)).cursor;
    await sepa.credit(incoming());
    expect((await ach.findCredits(cursor, 10)).credits).toEqual([]);
  });

  test('refuses a cursor of another list', async () => {
    await expect(sepa.findCredits('x; drop table', 10)).rejects.toThrow(RangeError);
  });
});

describe('a refund', () => {
  const refundTo = async (sender: string | null) => {
    const transfer = incoming({ sender });
    const { railReference } = await sepa.credit(transfer);
    const id = newId('outboundTransfer');
    const { merchantId, amount, currency } = transfer;
    const request = { id, merchantId, original: railReference, amount, currency, destination: null, now };
    return { id, outcome: await sepa.send(request) };
  };

  test.each([
    ['Ada Lovelace', 'completed', 'completed'],
    [null, 'completed', 'completed'],
    ['constructor', 'completed', 'completed'],
    [' SLOW bank ', 'pending', 'completed'],
    ['Closed Account', 'failed', 'failed'],
  ])('to the sender %s is %s, then %s', async (sender, first, last) => {
    const { id, outcome } = await refundTo(sender);
    expect(outcome.state).toBe(first);
    const after = await sepa.sendStatus(id, addSeconds(now, 30));
    expect(after?.state).toBe(last);
    if (after?.state === 'failed') expect(after.code).toBe('account_closed');
  });
});
