import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, randomText } from '../../src/core/id.ts';
import type { SendOrder } from '../../src/server/outbound/sender.ts';
import type { BankCredit, BankRail } from '../../src/server/rails/rail.ts';

/** An incoming transfer to a merchant. */
export interface IncomingMoney {
  readonly merchantId: string;
  readonly amount: bigint;
  readonly reference: string | null;
  readonly sender: string | null;
  readonly bankReference: string;
}

/** A bank rail under test, with a sender of money. */
export interface BankRailSubject {
  readonly rail: BankRail;
  /** The same rail as another process would open it. */
  readonly reopened: BankRail;
  /** Fields of an account that the rail can pay. */
  readonly account: Readonly<Record<string, string>>;
  credit(money: IncomingMoney): Promise<void>;
  close(): Promise<void>;
}

const now = new Date('2026-11-20T12:00:00Z');

function moneyFor(merchantId: string, changes: Partial<IncomingMoney> = {}): IncomingMoney {
  return {
    merchantId,
    amount: 8_000n,
    reference: 'thank you',
    sender: 'Ada Lovelace',
    bankReference: randomText(16),
    ...changes,
  };
}

export function describeBankRail(name: string, makeSubject: () => Promise<BankRailSubject>): void {
  describe(`bank rail: ${name}`, () => {
    let subject: BankRailSubject;
    let rail: BankRail;
    beforeAll(async () => {
      subject = await makeSubject();
      rail = subject.rail;
    });
    afterAll(() => subject.close());

    async function readAll(from: string | null, limit = 100) {
      const credits: BankCredit[] = [];
      let cursor = from;
      for (;;) {
        const page = await rail.findCredits(cursor, limit);
        credits.push(...page.credits);
        cursor = page.cursor;
        if (page.credits.length < limit) return { credits, cursor };
      }
    }

    describe('a reference', () => {
      test('is unique', () => {
        expect(new Set(Array.from({ length: 1000 }, () => rail.newReference())).size).toBe(1000);
      });

      test('is recognized in the spellings of payers and banks', () => {
        const reference = rail.newReference();
        const texts = [
          reference,
          reference.toLowerCase(),
          reference.replaceAll('-', ' '),
          reference.replaceAll('-', ''),
          `Invoice 12 ${reference} danke`,
        ];
        for (const text of texts) expect(rail.findReferences(text), text).toContain(reference);
        expect(rail.findReferences('thank you')).toEqual([]);
      });

      test('with one mistyped character matches no other payment', () => {
        const reference = rail.newReference();
        for (let at = 0; at < reference.length; at++) {
          const wrong = reference[at] === '7' ? '8' : '7';
          if (reference[at] === '-') continue;
          expect(rail.findReferences(reference.slice(0, at) + wrong + reference.slice(at + 1))).toEqual([]);
        }
      });
    });

    describe('the instructions', () => {
      const request = { merchantId: newId('account'), payee: 'Nordlys Supply', amount: 12_840n };

      test('contain all values to type, including reference and amount', () => {
        const reference = rail.newReference();
        const { rows } = rail.instructions({ ...request, reference });
        expect(rows.find(row => row.name === 'reference')?.value).toBe(reference);
        expect(rows.find(row => row.name === 'amount')?.value).toContain('128.40');
        expect(rows.find(row => row.name === 'account_holder')?.value).toBe('Nordlys Supply');
        expect(new Set(rows.map(row => row.name)).size).toBe(rows.length);
        for (const row of rows) expect(row.label && row.value, row.name).not.toBe('');
      });

      test('name an account of the merchant that stays the same', () => {
        const accounts = (from: BankRail, merchantId: string) =>
          from
            .instructions({ ...request, merchantId, reference: 'x' })
            .rows.filter(row => ['iban', 'account_number'].includes(row.name))
            .map(row => row.value);
        const own = accounts(rail, request.merchantId);
        expect(own).toHaveLength(1);
        expect(accounts(subject.reopened, request.merchantId)).toEqual(own);
        expect(accounts(rail, newId('account'))).not.toEqual(own);
      });
    });

    describe('the list of credits', () => {
      test('contains the received credits as they were booked, oldest first, in pages', async () => {
        const merchantId = newId('account');
        const { cursor } = await readAll(null);
        const sent = [
          moneyFor(merchantId, { amount: 1n, reference: null, sender: null }),
          moneyFor(merchantId, { reference: '  Ünïcode – ‘ref’ 付款 ' }),
          moneyFor(merchantId, { amount: 9_007_199_254_740_991n }),
        ];
        for (const money of sent) await subject.credit(money);
        const { credits } = await readAll(cursor, 2);
        expect(credits).toEqual(
          sent.map(({ bankReference, ...money }) => ({
            ...money,
            currency: rail.currency,
            railReference: bankReference,
          })),
        );
        const end = await subject.reopened.findCredits(cursor, 100);
        expect(await rail.findCredits(end.cursor, 100)).toEqual({ credits: [], cursor: end.cursor });
      });

      test('contains an entry of the bank once', async () => {
        const { cursor } = await readAll(null);
        const money = moneyFor(newId('account'));
        await Promise.all(Array.from({ length: 10 }, () => subject.credit(money)));
        await subject.credit(money);
        expect((await readAll(cursor)).credits).toHaveLength(1);
      });

      test('skips and repeats nothing while many credits are booked concurrently', async () => {
        const start = await readAll(null);
        const sent = Array.from({ length: 200 }, () => moneyFor(newId('account')));
        let isBooked = false;
        const seen: string[] = [];
        const reader = async () => {
          let cursor = start.cursor;
          for (let last = false; ; last = isBooked) {
            const page = await rail.findCredits(cursor, 7);
            seen.push(...page.credits.map(credit => credit.railReference));
            cursor = page.cursor;
            if (last && page.credits.length === 0) return;
          }
        };
        const reading = reader();
        await Promise.all(sent.map(money => subject.credit(money)));
        isBooked = true;
        await reading;
        expect(seen).toHaveLength(200);
        expect(new Set(seen)).toEqual(new Set(sent.map(money => money.bankReference)));
      });
    });

    describe('a refund of a credit', () => {
      async function credited(): Promise<Omit<SendOrder, 'id' | 'amount'>> {
        const money = moneyFor(newId('account'), { amount: 1_000n });
        await subject.credit(money);
        const { merchantId, bankReference: original } = money;
        return { merchantId, original, currency: rail.currency, destination: null, now };
      }
      const refundOf = (base: Omit<SendOrder, 'id' | 'amount'>, amount: bigint): SendOrder => ({
        ...base,
        amount,
        id: newId('outboundTransfer'),
      });

      test('may be partial until the credit is used up, also when many are sent concurrently', async () => {
        const base = await credited();
        expect((await rail.send(refundOf(base, 400n))).state).not.toBe('failed');
        const rest = await Promise.all(Array.from({ length: 8 }, () => rail.send(refundOf(base, 200n))));
        expect(rest.filter(({ state }) => state !== 'failed')).toHaveLength(3);
        expect((await rail.send(refundOf(base, 1n))).state).toBe('failed');
      });

      test('is executed once when it is repeated', async () => {
        const request = refundOf(await credited(), 1_000n);
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => rail.send(request)));
        expect(new Set(outcomes.map(outcome => JSON.stringify(outcome))).size).toBe(1);
        expect(outcomes[0]?.state).not.toBe('failed');
        expect(await subject.reopened.sendStatus(request.id, now)).toEqual(outcomes[0]);
        expect(await rail.sendStatus(newId('outboundTransfer'), now)).toBeNull();
      });

      test.each([
        ['of another merchant', { merchantId: newId('account') }],
        ['in another currency', { currency: 'JPY' }],
        ['of a credit that does not exist', { original: 'nothing' }],
      ])('%s fails with a reason', async (_, changes) => {
        expect(await rail.send({ ...refundOf(await credited(), 1n), ...changes })).toMatchObject({
          state: 'failed',
          code: expect.stringMatching(/^[a-z_]+$/),
          message: expect.stringMatching(/^[A-Z].+\.$/),
        });
      });
    });

    describe('a payment to an account', () => {
      const orderOf = (changes: Partial<SendOrder> = {}): SendOrder => ({
        id: newId('outboundTransfer'),
        merchantId: newId('account'),
        original: null,
        amount: 1_000n,
        now,
        currency: rail.currency,
        destination: { name: 'Ada Lovelace', ...subject.account },
        ...changes,
      });

      test('is executed once when it is repeated', async () => {
        const order = orderOf();
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => rail.send(order)));
        expect(new Set(outcomes.map(outcome => JSON.stringify(outcome))).size).toBe(1);
        expect(outcomes[0]?.state).not.toBe('failed');
        expect(await subject.reopened.sendStatus(order.id, now)).toEqual(outcomes[0]);
      });

      test('without an account fails with a reason', async () => {
        expect(await rail.send(orderOf({ destination: null }))).toMatchObject({
          state: 'failed',
          code: expect.stringMatching(/^[a-z_]+$/),
        });
      });
    });
  });
}
