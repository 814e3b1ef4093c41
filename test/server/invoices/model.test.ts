import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreditNote, InvoiceTransaction } from '../../../src/api/invoice/invoice-money.ts';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { TestAnswer } from '../../support/app.ts';
import { propertyRuns } from '../../torture/property-runs.ts';
import { instructionsOf } from '../payments/payment-lab.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/**
 * The actions of a merchant and a customer, in any order. `of` chooses an invoice or payment. Refunds to a `dead` card
 * fail after half a minute, and `wait` is longer than that. `twice` pays by a `dead` card and by a transfer of the same
 * amount.
 */
const kinds = ['card', 'dead', 'twice', 'record', 'note', 'refund', 'wait'] as const;
/** Actions besides, which may lose money. `win` answers a dispute, so that its money comes back later. */
const losing = ['short', 'dispute', 'win', 'void', 'giveUp'] as const;
type Kind = (typeof kinds)[number] | (typeof losing)[number];
type Command =
  | { readonly kind: 'send'; readonly price: number }
  | { readonly kind: Kind; readonly of: number; readonly percent: number };

const commandsOf = (some: readonly Kind[]): fc.Arbitrary<Command> =>
  fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('send' as const), price: fc.integer({ min: 0, max: 20_000 }) }),
    },
    {
      weight: some.length,
      arbitrary: fc.record({
        kind: fc.constantFrom(...some),
        of: fc.nat(20),
        percent: fc.integer({ min: 1, max: 130 }),
      }),
    },
  );

let customers = 0;

/** Runs the actions of one customer. The service may refuse an action, but never with a status of 500 or more. */
async function play(commands: readonly Command[]) {
  const email = `model${customers++}@example.com`;
  const invoices: string[] = [];
  const payments: string[] = [];
  const did = (answer: TestAnswer) => {
    expect(answer.status, answer.text).toBeLessThan(500);
    return answer;
  };
  const begin = async (id: string, amount: number): Promise<string | null> => {
    const { status, body } = did(await lab.invoice(id, 'payments', { amount }));
    if (status !== 201) return null;
    payments.push(body.id);
    return body.id;
  };
  const byCard = (token: string) => async (id: string, amount: number) => {
    const payment = await begin(id, amount);
    if (payment !== null) did(await lab.payByCard(payment, token));
  };
  const answered = async () => {
    lab.clock.advance(31);
    await lab.sweep('outbound.send');
  };
  const steps: Record<Kind, (id: string, amount: number) => Promise<unknown>> = {
    card: byCard('tok_visa'),
    dead: byCard('tok_refund_failed'),
    twice: async (id, amount) => {
      const transfer = await begin(id, amount);
      if (transfer === null) return;
      const { reference } = instructionsOf((await lab.payByBank(transfer)).body);
      await steps.dead(id, amount);
      did(await lab.credit({ reference, amount }));
    },
    wait: answered,
    record: async (id, amount) => did(await lab.invoice(id, 'record-payment', { amount })),
    note: async (id, amount) => did(await lab.invoice(id, 'credit-notes', { amount })),
    refund: async (id, amount) => {
      did(await lab.act(id, 'refunds', { amount }));
      await lab.sweep('outbound.send');
    },
    // The transfer lacks a cent, which the merchant's tolerance forgives.
    short: async (id, amount) => {
      const payment = await begin(id, amount);
      if (payment === null || amount < 2) return;
      const { reference } = instructionsOf((await lab.payByBank(payment)).body);
      did(await lab.credit({ reference, amount: amount - 1 }));
    },
    dispute: async (payment, amount) =>
      did(await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment, amount } })),
    win: async payment => {
      const [dispute] = (await lab.request(`GET /v1/disputes?payment=${payment}`)).body.data;
      if (dispute === undefined) return;
      did(
        await lab.request(`POST /v1/disputes/${dispute.id}/evidence`, { body: { explanation: 'It was delivered.' } }),
      );
      lab.clock.advance(120);
      await lab.sweep('payments.disputes');
    },
    void: async id => did(await lab.invoice(id, 'void')),
    giveUp: async id => did(await lab.invoice(id, 'mark-uncollectible')),
  };
  for (const step of commands) {
    lab.clock.advance(1);
    if (step.kind === 'send') {
      const lines = [{ description: 'x', unit_amount: step.price, tax: { name: 'VAT', percent: '19' } }];
      invoices.push((await lab.sent({ customer: { email }, lines })).id);
      continue;
    }
    const isOfPayment = ['refund', 'dispute', 'win'].includes(step.kind);
    const among = isOfPayment ? payments : invoices;
    const id = among[step.of % Math.max(among.length, 1)];
    if (id === undefined) continue;
    const whole = isOfPayment ? (await lab.read(id)).amount : (await lab.readInvoice(id)).total;
    await steps[step.kind](id, Math.max(1, Math.floor((whole * step.percent) / 100)));
  }
  await answered();
  return { email, invoices };
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The invoices, transactions and credit notes of a customer. */
async function accountsOf(ids: readonly string[]) {
  const invoices: Invoice[] = [];
  const transactions: InvoiceTransaction[] = [];
  const notes: CreditNote[] = [];
  for (const id of ids) {
    invoices.push(await lab.readInvoice(id));
    transactions.push(...(await lab.transactions(id)));
    notes.push(...(await lab.request(`GET /v1/invoices/${id}/credit-notes?limit=100`)).body.data);
  }
  const of = (...types: InvoiceTransaction['type'][]) => transactions.filter(({ type }) => types.includes(type));
  return { invoices, notes, of };
}

it('accounts for every cent, in any order of payments, credit notes and refunds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commandsOf(kinds), { minLength: 3, maxLength: 14 }), async commands => {
      const { email, invoices: ids } = await play([{ kind: 'send', price: 10_000 }, ...commands]);
      const { invoices, notes, of } = await accountsOf(ids);
      for (const invoice of invoices) {
        expect(invoice.amount_remaining).toBe(invoice.total - invoice.amount_paid - invoice.amount_credited);
        expect(invoice.amount_remaining).toBeGreaterThanOrEqual(0);
        expect(invoice.amount_overpaid).toBeGreaterThanOrEqual(0);
      }
      const came = sumOf(of('payment', 'recorded_payment').map(entry => entry.amount + entry.amount_overpaid));
      const wentBack = 0 - sumOf(of('refund').map(entry => entry.amount + entry.amount_overpaid));
      const credited = sumOf(notes.map(note => note.amount));
      // Credit notes first reduce the owed amount, then give credit. The rest counts as money that was refunded
      // earlier.
      const absorbed =
        credited - sumOf(invoices.map(each => each.amount_credited)) - sumOf(notes.map(note => note.amount_to_credit));
      const givenFree = 0 - sumOf(of('refund').map(entry => entry.amount)) - absorbed;
      expect(absorbed).toBeGreaterThanOrEqual(0);
      expect(givenFree).toBeGreaterThanOrEqual(0);
      const asked = sumOf(invoices.map(each => each.total)) - credited;
      const left = sumOf(invoices.map(each => each.amount_remaining));
      expect(asked).toBe(came - wentBack + givenFree + left - (await lab.creditOf(email)));
      const refunded = sumOf(invoices.map(each => each.amount_refunded));
      expect(refunded).toBe(wentBack);
    }),
    propertyRuns(15, 200, 0.12),
  );
}, 240_000);

/** Rows of the audit views that break a rule of invoices. */
async function differences() {
  const views = ['audit_invoice_differences', 'audit_customer_credit_differences'];
  const found = await Promise.all(views.map(view => lab.database.pool.query(`select * from ${view}`)));
  return found.flatMap(({ rows }) => rows);
}

it('keeps the ledger equal to the invoices, whatever is lost, given up or taken back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commandsOf([...kinds, ...losing]), { minLength: 3, maxLength: 14 }), async commands => {
      await play([{ kind: 'send', price: 10_000 }, ...commands]);
      expect(await differences()).toEqual([]);
    }),
    propertyRuns(25, 200, 0.12),
  );
}, 240_000);
