import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/core/id.ts';
import type { SendOrder, SendOutcome } from '../../src/server/outbound/sender.ts';
import type { PayoutRail, PayoutReturn } from '../../src/server/rails/rail.ts';

type Destination = Readonly<Record<string, string>>;

/** A payout rail under test, with its destinations. */
export interface PayoutRailSubject {
  readonly rail: PayoutRail;
  /** The same rail as another process would open it. */
  readonly reopened: PayoutRail;
  readonly currency: string;
  /** A destination whose payment is completed. */
  readonly payable: Destination;
  /** Destinations whose payments fail, by the code of the failure. */
  readonly failing: Readonly<Record<string, Destination>>;
  /** A destination whose completed payment is returned, with the return's code; null: the rail has no returns. */
  readonly returning: { readonly destination: Destination; readonly code: string } | null;
  readonly unpayable: readonly Destination[];
  /** Lets `seconds` pass and does all work that is due: files are sent, answers arrive. */
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const now = new Date('2026-11-20T12:00:00Z');
/** Long enough for every answer of a test rail. */
const longSeconds = 60;

export function describePayoutRail(name: string, makeSubject: () => Promise<PayoutRailSubject>): void {
  describe(`payout rail: ${name}`, () => {
    let subject: PayoutRailSubject;
    let rail: PayoutRail;
    beforeAll(async () => {
      subject = await makeSubject();
      rail = subject.rail;
    });
    afterAll(() => subject.close());

    const orderOf = (destination: Destination | null, changes: Partial<SendOrder> = {}): SendOrder => ({
      id: newId('payout'),
      merchantId: newId('account'),
      original: null,
      amount: 1_000n,
      now,
      destination,
      currency: subject.currency,
      ...changes,
    });
    const statusOf = async (order: SendOrder) => (await subject.reopened.status([order.id], now))[0] ?? null;

    /** The outcome of an order once the rail has decided. */
    async function decided(order: SendOrder): Promise<SendOutcome | null> {
      await rail.send([order]);
      await subject.pass(longSeconds);
      return await statusOf(order);
    }

    async function readReturns(from: string | null, limit = 100) {
      const returns: PayoutReturn[] = [];
      let cursor = from;
      for (;;) {
        const page = await subject.reopened.findReturns(cursor, limit);
        returns.push(...page.returns);
        cursor = page.cursor;
        if (page.returns.length < limit) return { returns, cursor };
      }
    }

    test('has an id, and money that arrives later than now', () => {
      expect(rail.id).toMatch(/^[a-z][a-z0-9_]*$/);
      for (const moment of [now, new Date('2026-12-24T23:59:59Z'), new Date('2027-03-28T01:30:00Z')]) {
        expect(rail.etaOf(moment) > moment).toBe(true);
      }
    });

    test('says in which currency it pays, and that it cannot pay', () => {
      expect(rail.currencyFor(subject.payable, subject.currency)).toBe(subject.currency);
      for (const destination of [...subject.unpayable, {}]) {
        expect(rail.currencyFor(destination, subject.currency), JSON.stringify(destination)).toBeNull();
      }
    });

    test('pays an order', async () => {
      const order = orderOf(subject.payable);
      const [first] = await rail.send([order]);
      expect(['pending', 'completed']).toContain(first?.state);
      await subject.pass(longSeconds);
      expect(await statusOf(order)).toMatchObject({ state: 'completed', railReference: expect.stringMatching(/./) });
    });

    test('accepts many orders at once, and returns the outcomes in their order', async () => {
      const [code = '', failing = null] = Object.entries(subject.failing)[0] ?? [];
      const orders = Array.from({ length: 60 }, (_, index) => orderOf(index % 3 === 1 ? failing : subject.payable));
      const outcomes = await rail.send(orders);
      expect(outcomes).toHaveLength(60);
      await subject.pass(longSeconds);
      const ids = orders.map(({ id }) => id);
      const unknown = newId('payout');
      const statuses = [...(await subject.reopened.status([...ids.toReversed(), unknown], now))];
      expect(statuses.pop()).toBeNull();
      expect(
        statuses.toReversed().map(status => status && (status.state === 'failed' ? status.code : status.state)),
      ).toEqual(orders.map((_, index) => (index % 3 === 1 ? code : 'completed')));
      expect(await rail.send([])).toEqual([]);
      expect(await rail.status([], now)).toEqual([]);
    });

    test('carries out a repeated order once', async () => {
      const order = orderOf(subject.payable);
      const outcomes = await Promise.all([rail, subject.reopened, rail].map(one => one.send([order])));
      expect(outcomes.flat().filter(({ state }) => state === 'failed')).toEqual([]);
      await subject.pass(longSeconds);
      const status = await statusOf(order);
      expect(status).toMatchObject({ state: 'completed' });
      expect(await rail.send([order])).toEqual([status]);
      await subject.pass(longSeconds);
      expect(await statusOf(order)).toEqual(status);
    });

    test('says why an order failed', async () => {
      for (const [code, destination] of Object.entries(subject.failing)) {
        const outcome = await decided(orderOf(destination));
        expect(outcome).toEqual({ state: 'failed', code, message: expect.stringMatching(/^[A-Z].{10,}/) });
      }
    });

    test('fails an order that it cannot pay', async () => {
      for (const destination of [null, ...subject.unpayable]) {
        const outcome = (await rail.send([orderOf(destination)]))[0];
        expect(outcome, JSON.stringify(destination)).toMatchObject({
          state: 'failed',
          code: expect.stringMatching(/^[a-z_]+$/),
        });
      }
      expect((await rail.send([orderOf(subject.payable, { amount: 0n })]))[0]).toMatchObject({ state: 'failed' });
    });

    test('lists returned money once, oldest first, in pages', async () => {
      const { returning } = subject;
      const start = await readReturns(null);
      if (returning === null) return expect(start.returns).toEqual([]);
      const orders = [1n, 2_000n, 30_000n].map(amount => orderOf(returning.destination, { amount }));
      for (const order of orders) expect(await decided(order)).toMatchObject({ state: 'completed' });
      const { returns, cursor } = await readReturns(start.cursor, 2);
      expect(returns).toEqual(
        orders.map(({ id, merchantId, amount }) => ({
          merchantId,
          orderId: id,
          amount,
          code: returning.code,
          message: expect.stringMatching(/^[A-Z].{10,}/),
        })),
      );
      expect(await rail.findReturns(cursor, 100)).toEqual({ returns: [], cursor });
    });
  });
}
