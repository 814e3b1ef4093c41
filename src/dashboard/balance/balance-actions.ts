import { html } from 'lit';
import type { TopUp } from '../../api/balance/top-up.ts';
import type { PayClient } from '../../api/client.ts';
import type { Account } from '../../api/merchant.ts';
import type { Transfer } from '../../api/transfer.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf } from '../../element/money-text.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import { assetWords, moneyWords, shortenedWords } from '../controls/values.ts';

/** Whether the unit is a currency: three letters, except XLM. Other assets are a longer code or `CODE:ISSUER`. */
const isCurrency = (unit: string): boolean => /^[A-Z]{3}$/.test(unit) && unit !== 'XLM';

const unitOf = ({ unit }: FormTexts): string => (unit ?? '').trim();

type Sum = { readonly asset: string; readonly amount: string } | { readonly currency: string; readonly amount: number };

/** The request fields for a typed unit and amount. Null for an invalid amount, and for a currency amount of zero. */
function sumOf(texts: FormTexts): Sum | null {
  const unit = unitOf(texts);
  const typed = (texts['amount'] ?? '').trim().replace(',', '.');
  if (!isCurrency(unit)) return /^\d+(\.\d{1,7})?$/.test(typed) ? { asset: unit, amount: typed } : null;
  const amount = parseAmount(typed, decimalsOf(unit), '.');
  return amount === null || amount === 0 ? null : { currency: unit, amount };
}

function sumWords(texts: FormTexts): string {
  const sum = sumOf(texts);
  if (sum === null) return '…';
  return 'asset' in sum ? assetWords(sum.amount, sum.asset) : moneyWords(sum.amount, sum.currency);
}

const sumFields =
  (units: readonly string[]) => (texts: FormTexts, errors: FormTexts, type: (name: string, text: string) => void) =>
    html`${formField({
      label: 'Money',
      name: 'unit',
      value: unitOf(texts),
      error: errors['currency'] ?? errors['asset'],
      options: units.map(unit => [unit, unit.split(':')[0] ?? unit] as const),
      onInput: value => type('unit', value),
    })}
    ${formField({
      label: 'Amount',
      name: 'amount',
      inputMode: 'decimal',
      value: texts['amount'] ?? '',
      error: errors['amount'],
      onInput: value => type('amount', value),
    })}`;

/** Creates a top-up: instructions for sending money into the balance. `done` gets the top-up. */
export function topUpAction(client: PayClient, units: readonly string[], done: (topUp: TopUp) => void): Action {
  return {
    heading: 'Add money',
    start: { unit: units[0] ?? '' },
    fields: sumFields(units),
    effects: texts => [
      { what: 'You get', result: isCurrency(unitOf(texts)) ? 'bank details and a reference' : 'a Stellar address' },
      { what: 'Each transfer there', result: 'is added to the balance in full' },
    ],
    button: texts => (sumOf(texts) === null ? null : 'Show where to send'),
    run: async (texts, idempotencyKey) =>
      done(await client.balance.topUps.create(sumOf(texts) ?? {}, { idempotencyKey })),
  };
}

/** Pays money of the balance to the merchant's own Stellar account. `done` gets the sentence for the toast. */
export function withdrawAction(
  client: PayClient,
  { settlement }: Account,
  units: readonly string[],
  done: (sentence: string) => void,
): Action {
  const address = settlement.stellar_address;
  return {
    heading: 'Withdraw',
    start: { unit: units[0] ?? '' },
    fields: sumFields(units),
    effects: texts => [
      { what: 'Leaves the balance', result: sumWords(texts) },
      {
        what: 'Arrives as',
        result: isCurrency(unitOf(texts)) ? `${settlement.asset.split(':')[0]}, at the market rate` : sumWords(texts),
      },
      { what: 'At', result: address === null ? 'no address is set yet' : shortenedWords(address) },
    ],
    ...(address === null && { note: 'Set your Stellar address in the settings first.' }),
    button: texts => (address === null || sumOf(texts) === null ? null : `Withdraw ${sumWords(texts)}`),
    run: async (texts, idempotencyKey) => {
      const sum = sumOf(texts);
      if (sum === null) return;
      const { status } = await client.balance.withdrawals.create(sum, { idempotencyKey });
      const waits = status === 'awaiting_approval';
      done(`${sumWords(texts)} ${waits ? 'waits for the approval of a second person' : 'is on its way'}`);
    },
  };
}

/** The amount in words: `€20.00`, or `20.00 USDC`. */
export function transferWords({ amount, currency, asset, asset_amount: units }: Transfer): string {
  if (asset !== null && units !== null) return assetWords(units, asset);
  return moneyWords(amount ?? 0, currency ?? 'EUR');
}

/** Assigns unmatched money to a payment. */
export function assignAction(client: PayClient, transfer: Transfer, done: (transfer: Transfer) => void): Action {
  return {
    heading: 'Assign to a payment',
    fields: (texts, errors, type) =>
      formField({
        label: 'Payment',
        name: 'payment_id',
        placeholder: 'pay_…',
        maxLength: 64,
        required: true,
        value: texts['payment_id'] ?? '',
        error: errors['payment_id'],
        onInput: value => type('payment_id', value),
      }),
    effects: texts => [
      { what: 'Money', result: transferWords(transfer) },
      { what: 'Counts towards', result: texts['payment_id']?.trim() || '…' },
    ],
    button: texts => (texts['payment_id']?.trim() ? 'Assign' : null),
    run: async (texts, idempotencyKey) => {
      const body = { payment_id: texts['payment_id']?.trim() ?? '' };
      done(await client.transfers.assign(transfer.id, body, { idempotencyKey }));
    },
  };
}

/** Returns unmatched money to its sender. */
export function returnAction(client: PayClient, transfer: Transfer, done: (transfer: Transfer) => void): Action {
  return {
    heading: 'Send this money back?',
    effects: () => [
      { what: 'Goes back', result: transferWords(transfer) },
      { what: 'To', result: transfer.sender === null ? 'the sender' : shortenedWords(transfer.sender, 10, 5) },
    ],
    button: () => `Send back ${transferWords(transfer)}`,
    run: async (_, idempotencyKey) => done(await client.transfers.return(transfer.id, {}, { idempotencyKey })),
  };
}
