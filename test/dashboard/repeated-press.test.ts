import '../../src/dashboard/controls/action-dialog.ts';
import '../../src/dashboard/controls/dialog.ts';
import '../../src/dashboard/links/links-page.ts';
import { expect, fixture, html } from '@open-wc/testing';
import { createPayClient, type PayClient, type Ramp } from '../../src/api/client.ts';
import {
  assignAction,
  returnAction,
  topUpAction,
  withdrawAction,
} from '../../src/dashboard/balance/balance-actions.ts';
import { acceptAction, evidenceAction } from '../../src/dashboard/balance/dispute-actions.ts';
import type { Action, ActionButton } from '../../src/dashboard/controls/action-dialog.ts';
import { createCustomerAction } from '../../src/dashboard/customers/customer-actions.ts';
import { kycActions } from '../../src/dashboard/customers/kyc/kyc-actions.ts';
import { createKeyAction, endpointAction, rotateAction } from '../../src/dashboard/developers/developer-actions.ts';
import { creditAction } from '../../src/dashboard/invoices/credit-action.ts';
import * as invoices from '../../src/dashboard/invoices/invoice-actions.ts';
import * as recurring from '../../src/dashboard/invoices/recurring/recurring-actions.ts';
import * as payments from '../../src/dashboard/payments/payment-actions.ts';
import { batchActions } from '../../src/dashboard/payouts/batch-actions.ts';
import { payoutActions } from '../../src/dashboard/payouts/payout-actions.ts';
import { rampActions } from '../../src/dashboard/ramps/ramp-actions.ts';
import { examplePayment, paidPayment } from '../element/support/example-payment.ts';
import { exampleKyc, exampleRamp, heldRamp } from './support/example-ramp.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const done = () => undefined;
const any = (fields: object) => fields as never;
const dispute = any({ id: 'dp_1', amount: 500, currency: 'EUR', reason: 'fraudulent' });
const transfer = any({ id: 'tr_1', amount: 500, currency: 'EUR', asset: null, sender: null });
const account = any({ settlement: { asset: 'USDC:GA', stellar_address: 'GDQP' } });
const invoice = any({
  id: 'inv_1',
  status: 'sent',
  number: 'INV-1',
  currency: 'EUR',
  total: 500,
  amount_remaining: 500,
  lines: [],
  customer: { email: 'ada@example.com' },
  due_date: null,
});
const creditable = { amount: 500, lines: [], rates: [] };
const preview = { amount: 500, currency: 'EUR', creditable, lines: [], taxes: [] };
const payout = {
  settlement: null,
  id: 'po_1',
  amount: 500,
  currency: 'EUR',
  attempt: 1,
  failure: null,
  fx: null,
  trace: { rail: 'sepa' },
  debit: { amount: 500, currency: 'EUR' },
  fee: { amount: 0, currency: 'EUR' },
  destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada' },
};
const batch = any({
  id: 'pbat_1',
  status: 'awaiting_approval',
  statuses: { queued: 1, on_hold: 1, failed: 1 },
  totals: [],
  schedule: { type: 'immediate' },
  counts: { accepted: 3 },
  approval: null,
});

const started = (buttons: readonly (ActionButton | false)[], label: string): Action => {
  const button = buttons.find(each => each !== false && each.label === label);
  if (!button) throw new Error(`no button ${label}`);
  return button.start();
};
const paid = (client: PayClient, payment = paidPayment()) => ({ client, payment, refunds: [], done });
const payoutAt = (client: PayClient, status: string, label: string) =>
  started(payoutActions({ client, payout: any({ ...payout, status }), done }), label);
const batchAt = (client: PayClient, label: string) =>
  started(batchActions({ client, batch, personId: 'person_1', done }), label);
const rampAt = (client: PayClient, ramp: Ramp, label: string) => started(rampActions({ client, ramp, done }), label);
const onSchedule = (client: PayClient) => ({
  client,
  recurring: any({ id: 'rinv_1', rrule: 'FREQ=DAILY', invoice }),
  done,
});

/** The dialog of a credit note after its first answer, which says what can be credited. */
function creditOf(client: PayClient): Action {
  const action = creditAction({ client, invoice, done });
  const ask: Action['preview'] = async (texts, signal) => {
    await action.preview?.({}, signal);
    await action.preview?.(texts, signal);
  };
  return { ...action, preview: ask };
}

/** Each action that makes or moves something: its name, its path, and the texts that the person has typed. */
const actions: readonly (readonly [string, string, (client: PayClient) => Action, Record<string, string>?])[] = [
  [
    'refund',
    'payments/pay_1/refunds',
    client => payments.refundAction(paid(client, paidPayment({ id: 'pay_1', amount_refundable: 12_840 }))),
  ],
  [
    'capture',
    'payments/pay_1/capture',
    client => payments.captureAction(paid(client, examplePayment({ id: 'pay_1', amount_capturable: 500 }))),
  ],
  [
    'decision',
    'payments/pay_1/resolve',
    client => payments.decisionAction(paid(client, paidPayment({ id: 'pay_1' })), 'accept'),
  ],
  ['cancel', 'payments/pay_1/cancel', client => payments.cancelAction(paid(client, examplePayment({ id: 'pay_1' })))],
  ['top-up', 'balance/top-ups', client => topUpAction(client, ['EUR'], done), { unit: 'EUR', amount: '5' }],
  [
    'withdrawal',
    'balance/withdrawals',
    client => withdrawAction(client, account, ['EUR'], done),
    { unit: 'EUR', amount: '5' },
  ],
  ['assignment', 'transfers/tr_1/assign', client => assignAction(client, transfer, done), { payment_id: 'pay_1' }],
  ['return', 'transfers/tr_1/return', client => returnAction(client, transfer, done)],
  ['evidence', 'disputes/dp_1/evidence', client => evidenceAction(client, dispute, done), { explanation: 'Sent.' }],
  ['acceptance', 'disputes/dp_1/accept', client => acceptAction(client, dispute, done)],
  ['sending', 'invoices/inv_1/send', client => invoices.sendAction({ client, invoice, done })],
  ['reminder', 'invoices/inv_1/remind', client => invoices.remindAction({ client, invoice, done })],
  ['copy', 'invoices/inv_1/duplicate', client => invoices.copyAction({ client, invoice, done }, done)],
  ['loss', 'invoices/inv_1/mark-uncollectible', client => invoices.giveUpAction({ client, invoice, done })],
  ['void', 'invoices/inv_1/void', client => invoices.voidAction({ client, invoice, done })],
  ['record', 'invoices/inv_1/record-payment', client => invoices.recordAction({ client, invoice, done })],
  [
    'credit note',
    'invoices/inv_1/credit-notes',
    client => creditOf(client),
    { by: 'amount', amount: '2', reason: 'other' },
  ],
  ['pause', 'recurring-invoices/rinv_1/pause', client => recurring.pauseAction(onSchedule(client))],
  ['payout cancel', 'payouts/po_1/cancel', client => payoutAt(client, 'queued', 'Cancel payout')],
  ['payout resume', 'payouts/po_1/resume', client => payoutAt(client, 'on_hold', 'Send now')],
  ['payout retry', 'payouts/po_1/retry', client => payoutAt(client, 'failed', 'Send again')],
  ['batch resume', 'payout-batches/pbat_1/resume', client => batchAt(client, 'Send those on hold')],
  ['batch retry', 'payout-batches/pbat_1/retry', client => batchAt(client, 'Retry failed payouts')],
  ['batch approval', 'payout-batches/pbat_1/approve', client => batchAt(client, 'Approve')],
  ['ramp cancel', 'ramps/ramp_1/cancel', client => rampAt(client, exampleRamp(), 'Cancel')],
  ['ramp refund', 'ramps/ramp_1/refunds', client => rampAt(client, heldRamp(), 'Refund')],
  ['ramp acceptance', 'ramps/ramp_1/accept', client => rampAt(client, heldRamp(), 'Accept at the market rate')],
  [
    'identity approval',
    'customers/cus_1/kyc/approve',
    client => started(kycActions({ client, kyc: exampleKyc(), done }), 'Approve'),
  ],
  ['customer', 'customers', client => createCustomerAction(client, done), { email: 'ada@example.com' }],
  ['key', 'api-keys', client => createKeyAction(any({ client, may: () => true }), done)],
  [
    'endpoint',
    'webhook-endpoints',
    client => endpointAction(client, null, done),
    { url: 'https://a.example', events: '*' },
  ],
  ['secret', 'webhook-endpoints/we_1/rotate-secret', client => rotateAction(client, any({ id: 'we_1' }), done)],
];

const lost = new Refusal(500, 'internal_error');

async function openDialog(action: Action) {
  const dialog = await fixture(html`<pay-action-dialog .action=${action}></pay-action-dialog>`);
  const button = () => find<HTMLButtonElement>(dialog, 'button[form]');
  const press = async () => {
    await waitUntil(() => !button().disabled, 'the button is enabled');
    button().click();
    await settle(dialog);
  };
  return { dialog, press };
}

describe('a second press after a lost answer', () => {
  for (const [name, path, actionOf, start] of actions) {
    it(`repeats the call with its key: ${name}`, async () => {
      const call = `POST /v1/${path}`;
      const service = serviceOf({ [call]: lost, [`${call}/preview`]: preview });
      const action = actionOf(createPayClient({ baseUrl: location.origin }));
      const { press } = await openDialog(start ? { ...action, start } : action);
      await press();
      await press();
      await waitUntil(() => service.callsOf(call).length === 2, 'both calls were made');
      const [one, other] = service.callsOf(call).map(({ headers }) => headers.get('idempotency-key'));
      expect(other).to.equal(one);
    });
  }

  it('has another key for other texts, and the first key again for the first texts', async () => {
    const call = 'POST /v1/balance/top-ups';
    const service = serviceOf({ [call]: lost });
    const { dialog, press } = await openDialog({
      ...topUpAction(createPayClient({ baseUrl: location.origin }), ['EUR'], done),
      start: { unit: 'EUR', amount: '5' },
    });
    const typed = async (text: string, answer: object = lost) => {
      const field = find<HTMLInputElement>(dialog, 'input[name=amount]');
      field.value = text;
      field.dispatchEvent(new InputEvent('input'));
      await settle(dialog);
      service.answers[call] = answer;
      await press();
    };
    const refused = new Refusal(400, 'parameter_invalid', 'Too much.', 'amount');
    for (const [text, answer] of [['5'], ['6'], ['5', refused], ['5']] as const) await typed(text, answer);
    await waitUntil(() => service.callsOf(call).length === 4, 'all calls were made');
    const keys = service.callsOf(call).map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[2]).to.equal(keys[0]);
    // A refusal is a final answer, so the next call is a new one.
    expect(new Set(keys).size).to.equal(3);
  });

  it('makes a new link once', async () => {
    const call = 'POST /v1/payment-links';
    const service = serviceOf({ 'GET /v1/payment-links': listOf(), [call]: lost });
    const { page } = await mountPage('pay-links-page', { query: 'new=1' });
    await waitUntil(() => find(page, 'input[name=amount]'));
    for (const count of [1, 2]) {
      await waitUntil(() => !find<HTMLButtonElement>(page, 'button[form=link]').disabled);
      find(page, 'button[form=link]').click();
      await waitUntil(() => service.callsOf(call).length === count);
      await settle(page);
    }
    const [one, other] = service.callsOf(call).map(({ headers }) => headers.get('idempotency-key'));
    expect(other).to.equal(one);
  });
});
