import type { CreateCreditNote, CreditNotePreview } from '../../api/invoice/invoice-money.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf } from '../../element/money-text.ts';
import type { FormTexts } from '../controls/action-dialog.ts';
import { cappedAmount } from '../controls/capped-amount.ts';
import type { Effect } from '../controls/dialog.ts';
import { moneyOf, moneyWords } from '../controls/values.ts';

/** The amount that can still be credited, of the whole invoice and of each line. */
export type Creditable = CreditNotePreview['creditable'];

/** A tax rate that can be credited as a whole. `key` is the name of its field. */
export interface CreditableRate {
  readonly key: string;
  readonly label: string;
  readonly rate: NonNullable<CreateCreditNote['rates']>[number];
}

/** The tax rates of the invoice. Lines without tax are one more rate, unless the invoice has a tax of 0 %. */
export function ratesOf({ taxes, lines }: Invoice): readonly CreditableRate[] {
  const rates = taxes.map(({ name, percent }) => ({ label: `${name} ${percent} %`, rate: { name, percent } }));
  const isUntaxed = lines.some(line => line.taxes.length === 0) && !taxes.some(({ percent }) => percent === '0');
  const all = isUntaxed ? [...rates, { label: 'Without tax', rate: { percent: '0' } }] : rates;
  return all.map((rate, index) => ({ ...rate, key: `rates[${index}]` }));
}

/** The typed credit as a request, and the errors of the texts by field. */
export interface TypedCredit {
  /** The request. Null while nothing is chosen. */
  readonly body: CreateCreditNote | null;
  readonly wrong: FormTexts;
  /** The form's field for each entry of `lines` or `rates` in the request. */
  readonly fields: readonly string[];
}

/** Reads the texts of the form. The text `by` says whether lines, rates or an amount are credited. */
export function typedCredit(invoice: Invoice, texts: FormTexts, left: Creditable | null): TypedCredit {
  const wrong: Record<string, string> = {};
  const amountOf = (name: string): number | null => {
    const amount = parseAmount(texts[name] ?? '', decimalsOf(invoice.currency), '.');
    if (amount === null) wrong[name] = 'Write the amount as a number, for example 42.50.';
    return amount;
  };
  const typed = (name: string) => texts[name]?.trim() ?? '';
  if (texts['by'] === 'amount') {
    const amount = cappedAmount(texts, { currency: invoice.currency, most: left?.amount ?? 0 });
    return { body: amount === null ? null : { amount }, wrong, fields: [] };
  }
  if (texts['by'] === 'rates') {
    const chosen = ratesOf(invoice).filter(({ key }) => texts[key] === 'yes');
    const rates = chosen.map(({ rate }) => rate);
    return { body: rates.length === 0 ? null : { rates }, wrong, fields: chosen.map(({ key }) => key) };
  }
  const lines = invoice.lines.flatMap((_, line) => {
    const quantity = typed(`lines[${line}].quantity`).replace(',', '.');
    if (quantity !== '') return { line, quantity };
    if (typed(`lines[${line}].amount`) === '') return [];
    return { line, amount: amountOf(`lines[${line}].amount`) ?? 0 };
  });
  return { body: lines.length === 0 ? null : { lines }, wrong, fields: lines.map(({ line }) => `lines[${line}]`) };
}

/** The effects of the note, row by row, from the service's answer. */
export function creditEffects({ lines }: Invoice, preview: CreditNotePreview): readonly Effect[] {
  const { currency, taxes } = preview;
  const money = (amount: number) => moneyOf(amount, currency);
  const row = (what: string, amount: number) => (amount === 0 ? [] : [{ what, result: money(amount) }]);
  return [
    ...preview.lines.map(({ line, quantity, amount }) => ({
      what: `${lines[line]?.description.split('\n')[0]}${quantity === null ? '' : `, ${quantity} ${lines[line]?.unit ?? ''}`}`,
      result: money(amount),
    })),
    ...taxes.flatMap(({ name, percent, amount }) => row(`Of it ${name} ${percent} %`, amount)),
    { what: 'Less to pay', result: money(preview.amount_off) },
    ...row('Becomes the customer’s credit', preview.amount_to_credit),
    ...row('Covers what was refunded', preview.amount_for_refunds),
    { what: 'Money that moves', result: 'none' },
  ];
}

/** The rest of a line that can still be credited, for example `Left: 2 h, €119.00`. */
export function leftWords(invoice: Invoice, left: Creditable['lines'][number]): string {
  const unit = invoice.lines[left.line]?.unit ?? '';
  return `Left: ${[left.quantity, unit].filter(Boolean).join(' ')}, ${moneyWords(left.amount, invoice.currency)}`;
}
