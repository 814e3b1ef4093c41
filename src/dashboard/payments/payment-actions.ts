import { html } from 'lit';
import type { PayClient } from '../../api/client.ts';
import type { Payment } from '../../api/payment.ts';
import type { CreateRefund, Refund } from '../../api/refund.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { cappedAmount, cappedAmountField } from '../controls/capped-amount.ts';
import type { Effect } from '../controls/dialog.ts';
import { formField } from '../controls/form-field.ts';
import { moneyWords, timeWords } from '../controls/values.ts';
import { exceptions, methodWords } from './payment-states.ts';

/** The input of a payment's actions. `done` gets the sentence for the toast. */
interface Acting {
  readonly client: PayClient;
  readonly payment: Payment;
  readonly done: (sentence: string) => void;
}

const plain = (amount: number, currency: string) => decimalText(amount, decimalsOf(currency));

const refundReasons = [
  ['', 'No reason'],
  ['requested_by_customer', 'Requested by the customer'],
  ['duplicate', 'Duplicate'],
  ['fraudulent', 'Fraudulent'],
] as const;

/** A refund of at most `most` minor units. `effects` gets the typed amount, or null. */
interface Refunding {
  readonly currency: string;
  readonly most: number;
  readonly effects: (amount: number | null) => readonly Effect[];
  readonly refund: (body: CreateRefund, idempotencyKey: string) => Promise<Refund>;
  readonly done: (sentence: string) => void;
}

/** Asks for the amount and the reason of a refund, and starts it. */
export function refundForm({ currency, most, effects, refund, done }: Refunding): Action {
  const amountOf = (texts: FormTexts) => cappedAmount(texts, { currency, most });
  const askAmount = cappedAmountField('Amount', { currency, most });
  return {
    heading: 'Refund',
    start: { amount: plain(most, currency), reason: '' },
    fields: (texts, errors, type) => html`${askAmount(texts, errors, type)}
      ${formField({
        label: 'Reason',
        name: 'reason',
        value: texts['reason'] ?? '',
        options: refundReasons,
        onInput: value => type('reason', value),
      })}`,
    effects: texts => effects(amountOf(texts)),
    button: texts => {
      const amount = amountOf(texts);
      return amount === null ? null : `Refund ${moneyWords(amount, currency)}`;
    },
    run: async (texts, idempotencyKey) => {
      const amount = amountOf(texts);
      const reason = texts['reason'] as CreateRefund['reason'] | '';
      const made = await refund({ ...(amount !== null && { amount }), ...(reason && { reason }) }, idempotencyKey);
      const fate = made.status === 'awaiting_approval' ? 'waits for the approval of a second person' : 'started';
      done(`Refund of ${moneyWords(made.amount, currency)} ${fate}`);
    },
  };
}

/** Refunds money to the payer. */
export function refundAction(acting: Acting): Action {
  const { client, payment, done } = acting;
  const { currency, amount_refundable: most = 0 } = payment;
  return refundForm({
    currency,
    most,
    effects: amount => refundEffects(acting, amount, most),
    refund: (body, idempotencyKey) => client.payments.refund(payment.id, body, { idempotencyKey }),
    done,
  });
}

function refundEffects({ payment }: Acting, amount: number | null, most: number): Effect[] {
  const { currency, settlement, amount_received: received } = payment;
  const sum = amount === null ? '…' : moneyWords(amount, currency);
  return [
    { what: 'Goes back to the payer', result: sum },
    { what: payment.mobile_money === null ? 'By' : 'To the wallet', result: methodWords(payment) },
    { what: 'Comes from', result: sourceOf(settlement) },
    { what: 'Received', result: moneyWords(received, currency) },
    { what: 'Then left of it', result: amount === null ? '…' : moneyWords(most - amount, currency) },
  ];
}

function sourceOf({ status, settlement }: Payment['settlement']): string {
  if (status === 'settled') return 'Your balance: the payment was settled already';
  // Its payout failed, or its money was kept.
  if (settlement && status !== 'submitted') return 'Your balance: its settlement has ended';
  return 'Money that is not settled yet';
}

/** Takes the money of an authorized card payment, in whole or in part. */
export function captureAction({ client, payment, done }: Acting): Action {
  const { currency, amount_capturable: most, capture_before: until } = payment;
  const amountOf = (texts: FormTexts) => cappedAmount(texts, { currency, most });
  return {
    heading: 'Capture',
    start: { amount: plain(most, currency) },
    fields: cappedAmountField('Amount', { currency, most }),
    effects: texts => {
      const amount = amountOf(texts);
      return [
        { what: 'Taken from the card', result: amount === null ? '…' : moneyWords(amount, currency) },
        { what: 'Released on the card', result: amount === null ? '…' : moneyWords(most - amount, currency) },
        { what: 'Card', result: methodWords(payment) },
      ];
    },
    note: `This is possible once${until === null ? '' : `, until ${timeWords(until)}`}. A part that is not taken is released.`,
    button: texts => {
      const amount = amountOf(texts);
      return amount === null ? null : `Capture ${moneyWords(amount, currency)}`;
    },
    run: async (texts, idempotencyKey) => {
      const amount = amountOf(texts);
      await client.payments.capture(payment.id, amount === null ? {} : { amount }, { idempotencyKey });
      done('Card captured');
    },
  };
}

/**
 * The money of a decision, in words. `received`: so far. `accepted`: counts as paid after an acceptance. `back`: goes
 * back to the payer after a refund. `kept`: is accepted, but does not count as paid.
 */
function decidedMoney({ amount, amount_received: received, currency, exception, ...payment }: Payment) {
  // Crypto that arrived late or in a wrong asset is not credited before the decision.
  const uncounted = payment.received.filter(({ chain, credited }) => chain !== null && credited === 0);
  const coins = uncounted.map(({ amount: sent, asset }) => `${sent} ${asset.split(':')[0]}`).join(' + ');
  const both = (minor: number, more: string) =>
    [minor > 0 || more === '' ? moneyWords(minor, currency) : '', more].filter(Boolean).join(' + ');
  const isLate = exception === 'paid_late';
  const isOver = exception === 'overpaid' || payment.completed_at !== null;
  return {
    received: both(received, coins),
    accepted: both(received, isLate ? coins : ''),
    back: both(isOver ? Math.max(0, received - amount) : received, isLate || exception === 'wrong_asset' ? coins : ''),
    kept: isLate ? '' : coins,
  };
}

/** Accepts or returns money of a payment with an exception, such as missing, excess or late money. */
export function decisionAction({ client, payment, done }: Acting, decision: 'accept' | 'refund'): Action {
  const { amount, currency, exception } = payment;
  const isAccepted = decision === 'accept';
  const { received, accepted, back, kept } = decidedMoney(payment);
  return {
    heading: isAccepted ? 'Accept the money' : 'Send the money back',
    effects: () => [
      { what: 'Why it waits', result: exceptions[exception ?? ''] ?? 'It waits for your decision' },
      { what: 'Amount', result: moneyWords(amount, currency) },
      { what: 'Received', result: received },
      isAccepted ? { what: 'Counts as paid', result: accepted } : { what: 'Goes back to the payer', result: back },
      ...(isAccepted && kept !== '' ? [{ what: 'Kept, not counted as paid', result: kept }] : []),
    ],
    button: () => (isAccepted ? `Accept ${accepted}` : `Send back ${back}`),
    run: async (_, idempotencyKey) => {
      await client.payments.resolve(payment.id, { action: decision }, { idempotencyKey });
      done(isAccepted ? 'Money accepted' : 'Refund started');
    },
  };
}

/** Cancels a payment that is not paid yet. */
export function cancelAction({ client, payment, done }: Acting): Action {
  const { amount, amount_capturable: held, currency } = payment;
  return {
    heading: 'Cancel payment',
    isDangerous: true,
    effects: () => [
      { what: 'The payer', result: 'Can no longer pay it' },
      { what: 'Amount', result: moneyWords(amount, currency) },
      ...(held > 0 ? [{ what: 'Released on the card', result: moneyWords(held, currency) }] : []),
    ],
    button: () => 'Cancel payment',
    run: async (_, idempotencyKey) => {
      await client.payments.cancel(payment.id, { idempotencyKey });
      done('Payment canceled');
    },
  };
}
