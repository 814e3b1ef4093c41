import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Overview } from '../../../src/api/dashboard/report.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab({ now: new Date('2026-11-02T09:00:00Z') });
});
afterAll(() => lab.close());

const read = async (query: Record<string, string> = {}): Promise<Overview> => {
  const { status, body, text } = await lab.request(`GET /v1/reports/overview?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return body;
};

async function allPayments(): Promise<Payment[]> {
  const all: Payment[] = [];
  for (let after = ''; ; ) {
    const { body } = await lab.request(`GET /v1/payments?limit=100${after === '' ? '' : `&starting_after=${after}`}`);
    all.push(...body.data);
    if (!body.has_more) return all;
    after = body.data.at(-1).id;
  }
}

/** The same figures, from the list of all payments. */
function scanned(payments: readonly Payment[]) {
  const count = (status: string) => payments.filter(payment => payment.status === status).length;
  const completed = payments.filter(({ completed_at: at }) => at !== null);
  const sum = (list: readonly Payment[], of: (payment: Payment) => number) =>
    list.reduce((total, payment) => total + of(payment), 0);
  const amounts = [...Map.groupBy(completed, ({ currency }) => currency)]
    .map(([currency, list]) => ({
      currency,
      paid: list.length,
      volume: sum(list, each => each.amount_received),
      refunded_amount: sum(list, each => each.amount_refunded),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    created: payments.length,
    pending: count('pending'),
    completed: count('completed'),
    failed: count('failed'),
    refunded: count('refunded'),
    amounts,
  };
}

async function expectSameAsScan(): Promise<void> {
  const { counts, amounts, series, by_method, by_asset } = await read();
  const { amounts: wanted, ...statuses } = scanned(await allPayments());
  expect({ ...counts, success_rate: undefined }).toEqual(statuses);
  expect(amounts).toEqual(wanted);
  const total = (list: readonly { amounts: Overview['amounts'] }[]) =>
    list.flatMap(each => each.amounts).reduce((sum, { volume }) => sum + volume, 0);
  const volume = wanted.reduce((sum, each) => sum + each.volume, 0);
  expect([total(series), total(by_method), total(by_asset)]).toEqual([volume, volume, volume]);
}

describe('GET /v1/reports/overview', () => {
  it('is all zero for a new account, with a point for each day', async () => {
    const overview = await read({ from: '2026-10-01', to: '2026-10-31' });
    expect(overview).toMatchObject({ object: 'overview', amounts: [], by_method: [], attention: [], money: [] });
    expect(overview.counts).toMatchObject({ created: 0, success_rate: null });
    expect(overview.series.map(({ start }) => start.slice(0, 10))).toHaveLength(31);
  });

  it.each<[Record<string, string>, string]>([
    [{ from: '2026-11-02', to: '2026-11-01' }, 'from'],
    [{ from: '2026-02-30' }, 'from'],
    [{ to: 'today' }, 'to'],
    [{ interval: 'year' }, 'interval'],
    [{ from: '2026-01-01', interval: 'hour' }, 'interval'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
  ])('refuses %j', async (query, param) => {
    const answer = await lab.request(`GET /v1/reports/overview?${new URLSearchParams(query)}`);
    expect([answer.status, refusal(answer)[2]]).toEqual([400, param]);
  });

  it('follows a payment from its creation to its refund and disputes', async () => {
    const { id } = await lab.createPaid({ amount: 5_000 });
    const day = { from: '2026-11-02', to: '2026-11-02' };
    const paid = await read(day);
    expect(paid.counts).toEqual({ created: 1, pending: 0, completed: 1, failed: 0, refunded: 0, success_rate: 1 });
    expect(paid.amounts).toEqual([{ currency: 'EUR', paid: 1, volume: 5_000, refunded_amount: 0 }]);
    expect(paid.by_method.map(({ method, completed }) => [method, completed])).toEqual([['card', 1]]);
    expect(paid.by_asset.map(each => each.settlement_asset)).toEqual(['USDC']);
    expect(paid.money).toEqual([{ currency: 'EUR', settled: 0, in_balance: 0, waiting: 5_000 }]);
    await lab.refund(id, { amount: 2_000 });
    const refunded = await read(day);
    expect(refunded.amounts).toEqual([{ currency: 'EUR', paid: 1, volume: 5_000, refunded_amount: 2_000 }]);
    expect(refunded.money).toEqual([{ currency: 'EUR', settled: 0, in_balance: 0, waiting: 3_000 }]);
    const dispute = { payment: id, amount: 1_000 };
    await lab.request('POST /v1/test_helpers/cards/disputes', { body: dispute });
    const waits = async () => (await read(day)).money.map(({ waiting }) => waiting);
    expect(await waits()).toEqual([2_000]);
    const { data } = (await lab.request(`GET /v1/disputes?payment=${id}`)).body;
    expect((await lab.request(`POST /v1/disputes/${data[0].id}/accept`)).body.outcome).toBe('accepted');
    expect(await waits()).toEqual([2_000]);
    expect((await lab.balance())['pending EUR']).toBe(2_000);
  });

  it('counts what waits for a person, and where to find it', async () => {
    const overpaid = await lab.createForBank({ amount: 1_000 });
    await lab.credit({ reference: instructionsOf(overpaid).reference, amount: 1_900 });
    await lab.credit({ reference: 'nobody knows', amount: 700 });
    const { attention } = await read();
    expect(attention).toEqual([
      { kind: 'payments_overpaid', count: 1, has_more: false, url: '/v1/payments?exception=overpaid' },
      { kind: 'transfers_unmatched', count: 1, has_more: false, url: '/v1/transfers?status=unmatched' },
    ]);
    for (const { url } of attention) expect((await lab.request(`GET ${url as '/'}`)).body.data).toHaveLength(1);
    await lab.act(overpaid.id, 'resolve', { action: 'accept' });
    expect((await read()).attention.map(({ kind }) => kind)).toEqual(['transfers_unmatched']);
  });

  it('begins days in the time zone of the request', async () => {
    lab.clock.advance(10.5 * 3600);
    await lab.createPaid({ amount: 100 });
    const inIndia = await read({ from: '2026-11-03', to: '2026-11-03', timezone: 'Asia/Kolkata' });
    expect(inIndia.counts.created).toBe(1);
    expect(inIndia.series.map(({ start }) => start)).toEqual(['2026-11-02T18:30:00.000Z']);
    expect((await read({ from: '2026-11-03', to: '2026-11-03' })).counts.created).toBe(0);
  });

  it('begins other days at midnight, when the clocks change at midnight of one day', async () => {
    const { series } = await read({ from: '2026-03-29', to: '2026-03-30', timezone: 'Asia/Beirut' });
    expect(series.map(({ start }) => start)).toEqual(['2026-03-28T22:00:00.000Z', '2026-03-29T21:00:00.000Z']);
  });

  it('is the same as a scan of all payments, under concurrent, refused and folded changes', async () => {
    const pay = async (token: string) => (await lab.payByCard((await lab.create()).id, token)).body;
    const steps = {
      create: () => lab.create({ currency: 'USD' }),
      paid: () => pay('tok_visa'),
      refused: () => pay('tok_declined'),
      challenged: () => pay('tok_3ds'),
      refunded: async () => lab.act((await pay('tok_mastercard')).id, 'refunds', { amount: 12_840 }),
      refundedTwice: async () => {
        const { id } = await pay('tok_visa');
        // One of both exceeds the payment and is rolled back.
        await Promise.all([1, 2].map(() => lab.act(id, 'refunds', { amount: 9_000 })));
      },
      canceled: async () => lab.act((await lab.create()).id, 'cancel'),
      partly: async () => {
        const { reference } = instructionsOf(await lab.createForBank({ amount: 8_000 }));
        await lab.credit({ reference, amount: 3_000 });
      },
      fold: () => lab.sweep('reports.fold'),
      expire: async () => {
        lab.clock.advance(90_000);
        await lab.sweep('payments.expire');
      },
      send: () => lab.sweep('outbound.send'),
    };
    const name = fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]));
    const rounds = fc.array(fc.array(name, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rounds, async plan => {
        for (const round of plan) await Promise.all(round.map(step => steps[step]()));
        await expectSameAsScan();
        await lab.sweep('reports.fold');
        await expectSameAsScan();
      }),
      { numRuns: 8 },
    );
  });
});
