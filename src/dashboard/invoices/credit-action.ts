import { html, nothing, type TemplateResult } from 'lit';
import type { CreateCreditNote, CreditNotePreview } from '../../api/invoice/invoice-money.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { cappedAmountField } from '../controls/capped-amount.ts';
import { checkField, formField } from '../controls/form-field.ts';
import { moneyWords } from '../controls/values.ts';
import { type Creditable, creditEffects, leftWords, ratesOf, typedCredit } from './credit-form.ts';
import type { Acting } from './invoice-actions.ts';

const ways = [
  ['lines', 'Lines'],
  ['rates', 'All lines with a tax rate'],
  ['amount', 'An amount over all lines'],
] as const;

const reasons = [
  ['requested_by_customer', 'Requested by the customer'],
  ['order_change', 'The order changed'],
  ['product_unsatisfactory', 'Not as expected'],
  ['duplicate', 'Duplicate'],
  ['other', 'Other'],
] as const;

/** Credits lines, tax rates or an amount of an invoice. The service computes the effects before the person confirms. */
export function creditAction({ client, invoice, done }: Acting): Action {
  let left: Creditable | null = null;
  let preview: CreditNotePreview | null = null;
  return {
    heading: 'Credit note',
    isWide: true,
    start: { by: 'lines', reason: 'requested_by_customer' },
    preview: async (texts, signal) => {
      preview = null;
      const { body, wrong } = typedCredit(invoice, texts, left);
      if (left !== null && (body === null || Object.keys(wrong).length > 0)) return;
      // The answer to an empty request also contains the amounts that can be credited.
      const answer = await client.invoices.previewCreditNote(invoice.id, body ?? {}, { signal });
      if (signal.aborted) return;
      left = answer.creditable;
      if (body !== null) preview = answer;
    },
    fields: (texts, errors, type) => (left === null ? html`` : creditFields(invoice, left, { texts, errors, type })),
    effects: () => (preview === null ? [] : creditEffects(invoice, preview)),
    button: () => preview && `Credit ${moneyWords(preview.amount, preview.currency)}`,
    run: async (texts, idempotencyKey) => {
      const reason = texts['reason'] as NonNullable<CreateCreditNote['reason']>;
      const body = { ...typedCredit(invoice, texts, left).body, reason };
      const { number } = await client.invoices.createCreditNote(invoice.id, body, { idempotencyKey });
      done(`Credit note ${number} created`);
    },
  };
}

/** The form: its texts, the error messages by field, and the function that reports a change. */
interface Form {
  readonly texts: FormTexts;
  readonly errors: FormTexts;
  readonly type: (name: string, text: string) => void;
}

function creditFields(invoice: Invoice, left: Creditable, form: Form): TemplateResult {
  const { texts, type } = form;
  const { wrong, fields } = typedCredit(invoice, texts, left);
  const refused = Object.entries(form.errors).map(([param, message]) => {
    // The request omits lines and rates that are not credited, so its positions differ from those in the form.
    const place = param.replace(/^(?:lines|rates)\[(\d+)\]/, (whole, at) => fields[Number(at)] ?? whole);
    return [place.replace(/\.line$/, '.quantity'), message] as const;
  });
  const choice = (label: string, name: string, options: typeof ways | typeof reasons) =>
    formField({ label, name, value: texts[name] ?? '', options, onInput: value => type(name, value) });
  return html`${choice('What to credit', 'by', ways)}
    ${partsOf(invoice, left, { ...form, errors: { ...Object.fromEntries(refused), ...wrong } })}
    ${choice('Reason', 'reason', reasons)}`;
}

function partsOf(invoice: Invoice, left: Creditable, form: Form): TemplateResult {
  const { texts, errors, type } = form;
  if (texts['by'] === 'amount') {
    return cappedAmountField('Amount', { currency: invoice.currency, most: left.amount })(texts, errors, type);
  }
  if (texts['by'] === 'rates') {
    return html`<fieldset><legend class="label">Tax rates</legend>
      ${ratesOf(invoice).map(({ key, label }) =>
        checkField(label, key, texts[key] === 'yes', isOn => type(key, isOn ? 'yes' : '')),
      )}
    </fieldset>`;
  }
  return html`${left.lines.map(line => lineFields(invoice, line, form))}`;
}

function lineFields(invoice: Invoice, left: Creditable['lines'][number], { texts, errors, type }: Form) {
  const at = `lines[${left.line}]`;
  const [quantity, amount] = [`${at}.quantity`, `${at}.amount`];
  // A line is credited by quantity or by amount, so each of these two fields clears the other.
  const put = (name: string, text: string) => {
    type(name === quantity ? amount : quantity, '');
    type(name, text);
  };
  const field = (label: string, name: string) =>
    formField({
      label,
      name,
      value: texts[name] ?? '',
      error: errors[name],
      inputMode: 'decimal',
      onInput: text => put(name, text),
    });
  const all = () => put(amount, decimalText(left.amount, decimalsOf(invoice.currency)));
  return html`<fieldset class="pair" ?disabled=${left.amount === 0}>
    <legend>${invoice.lines[left.line]?.description}</legend>
    <div class="hint">${leftWords(invoice, left)}
      ${
        left.amount === 0
          ? nothing
          : html`<button class="plain" type="button" aria-label=${`All of line ${left.line + 1}`} @click=${all}>All of it</button>`
      }
    </div>
    ${field('Quantity', quantity)} ${field(`or amount (${invoice.currency})`, amount)}
  </fieldset>`;
}
