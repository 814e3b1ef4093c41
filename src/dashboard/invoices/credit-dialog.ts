import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CreateCreditNote, CreditNotePreview } from '../../api/invoice/invoice-money.ts';
import type { Invoice } from '../../api/invoice/invoice-view.ts';
import { decimalsOf, decimalText } from '../../element/money-text.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import type { FormTexts } from '../controls/action-dialog.ts';
import { effectsTable } from '../controls/dialog.ts';
import { checkField, fieldErrors, formField } from '../controls/form-field.ts';
import { errorNote, skeleton } from '../controls/states.ts';
import { moneyWords } from '../controls/values.ts';
import { creditEffects, leftWords, ratesOf, typedCredit } from './credit-form.ts';

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

/** How long to wait after the last key before the service is asked, in milliseconds. */
const typingPause = 300;

/**
 * `<pay-credit-dialog .invoice>`: credits lines, tax rates or an amount of an invoice. The service says what the note
 * will do before it exists. Without an invoice it is closed. Fires `close`, and `credited` with the note's number.
 */
class CreditDialog extends DashboardElement {
  static override readonly properties = {
    invoice: { attribute: false },
    texts: { state: true },
    left: { state: true },
    preview: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      .line {
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 8px 12px;
      }
      .line > legend,
      .line > .hint {
        grid-column: 1 / -1;
        padding: 0;
        font-weight: 550;
        overflow-wrap: anywhere;
      }
      .line > .hint {
        font-weight: 400;
      }
    `,
  ];

  declare invoice: Invoice | null;
  declare private texts: FormTexts;
  /** What can be credited, as the service answered when the dialog opened. */
  declare private left: CreditNotePreview['creditable'] | null;
  declare private preview: CreditNotePreview | null;
  declare private error: unknown;
  declare private isBusy: boolean;

  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();

  constructor() {
    super();
    Object.assign(this, { invoice: null, texts: {}, left: null, preview: null, error: null, isBusy: false });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('invoice')) return;
    clearTimeout(this.#timer);
    this.#asking.abort();
    const texts = { by: 'lines', reason: 'requested_by_customer' };
    Object.assign(this, { texts, left: null, preview: null, error: null, isBusy: false });
    if (this.invoice !== null) void this.#ask({}, ({ creditable }) => Object.assign(this, { left: creditable }));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#asking.abort();
  }

  readonly #type = (change: FormTexts): void => {
    this.texts = { ...this.texts, ...change };
    if (this.invoice === null || Object.keys(change).every(name => name === 'reason')) return;
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.preview = null;
    const { body, wrong } = typedCredit(this.invoice, this.texts);
    this.error = null;
    if (body === null || Object.keys(wrong).length > 0) return;
    this.#timer = setTimeout(() => void this.#ask(body, preview => Object.assign(this, { preview })), typingPause);
  };

  async #ask(body: CreateCreditNote, show: (preview: CreditNotePreview) => void): Promise<void> {
    if (this.invoice === null) return;
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const { signal } = asking;
      const preview = await this.app.client.invoices.previewCreditNote(this.invoice.id, body, { signal });
      if (!signal.aborted) show(preview);
    } catch (error) {
      if (!asking.signal.aborted) this.error = error;
    }
  }

  readonly #submit = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const { invoice, texts, preview } = this;
    const body = invoice && typedCredit(invoice, texts).body;
    if (invoice === null || body === null || preview === null || this.isBusy) return;
    Object.assign(this, { isBusy: true, error: null });
    try {
      const reason = texts['reason'] as NonNullable<CreateCreditNote['reason']>;
      const { number } = await this.app.client.invoices.createCreditNote(invoice.id, { ...body, reason });
      this.dispatchEvent(new CustomEvent('credited', { detail: number }));
      this.#close();
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
  };

  #close(): void {
    this.dispatchEvent(new CustomEvent('close'));
  }

  override render(): TemplateResult {
    const { invoice, preview, isBusy } = this;
    const label = preview === null ? 'Credit' : `Credit ${moneyWords(preview.amount, preview.currency)}`;
    return html`<pay-dialog heading="Credit note" wide .open=${invoice !== null} .busy=${isBusy} @close=${this.#close}>
      ${invoice === null ? nothing : this.#form(invoice)}
      <button slot="buttons" class="second" type="button" ?disabled=${isBusy} @click=${this.#close}>Go back</button>
      <button slot="buttons" class="main" type="button" ?disabled=${isBusy || preview === null} @click=${this.#submit}>
        ${isBusy ? 'One moment …' : label}
      </button>
    </pay-dialog>`;
  }

  #form(invoice: Invoice): TemplateResult {
    const { texts, left, preview, error } = this;
    const { wrong, fields } = typedCredit(invoice, texts);
    const refused = Object.entries(fieldErrors(error)).map(([param, message]) => {
      // Lines and rates that are not credited are not in the request, so places differ from those of the form.
      const place = param.replace(/^(?:lines|rates)\[(\d+)\]/, (whole, at) => fields[Number(at)] ?? whole);
      return [place.replace(/\.line$/, '.quantity'), message] as const;
    });
    const errors = { ...Object.fromEntries(refused), ...wrong };
    if (left === null) return error === null ? skeleton(3) : errorNote(error);
    const isElsewhere = error !== null && !refused.some(([name]) => /^(lines\[|amount$)/.test(name));
    return html`<form class="fields" novalidate @submit=${this.#submit}>
      ${formField({ label: 'What to credit', name: 'by', value: texts['by'] ?? '', options: ways, onInput: by => this.#type({ by }) })}
      ${this.#choice(invoice, left, errors)}
      ${formField({ label: 'Reason', name: 'reason', value: texts['reason'] ?? '', options: reasons, onInput: reason => this.#type({ reason }) })}
      <div aria-live="polite">${preview === null ? nothing : effectsTable(creditEffects(invoice, preview))}</div>
      ${isElsewhere ? errorNote(error) : nothing}
    </form>`;
  }

  #choice(invoice: Invoice, left: CreditNotePreview['creditable'], errors: FormTexts): TemplateResult {
    const { texts } = this;
    if (texts['by'] === 'amount') {
      return formField({
        ...{
          label: `Amount (${invoice.currency})`,
          name: 'amount',
          inputMode: 'decimal',
          value: texts['amount'] ?? '',
        },
        hint: `Left: ${moneyWords(left.amount, invoice.currency)}`,
        error: errors['amount'],
        onInput: amount => this.#type({ amount }),
      });
    }
    if (texts['by'] === 'rates') {
      return html`<fieldset><legend class="label">Tax rates</legend>
        ${ratesOf(invoice).map(({ key, label }) =>
          checkField(label, key, texts[key] === 'yes', isOn => this.#type({ [key]: isOn ? 'yes' : '' })),
        )}
      </fieldset>`;
    }
    return html`${left.lines.map(line => this.#line(invoice, line, errors))}`;
  }

  #line(invoice: Invoice, left: CreditNotePreview['creditable']['lines'][number], errors: FormTexts): TemplateResult {
    const at = `lines[${left.line}]`;
    const [quantity, amount] = [`${at}.quantity`, `${at}.amount`];
    const text = (name: string) =>
      ({ name, value: this.texts[name] ?? '', error: errors[name], inputMode: 'decimal' }) as const;
    const all = decimalText(left.amount, decimalsOf(invoice.currency));
    return html`<fieldset class="line" ?disabled=${left.amount === 0}>
      <legend>${invoice.lines[left.line]?.description}</legend>
      <div class="hint">${leftWords(invoice, left)}
        ${
          left.amount === 0
            ? nothing
            : html`<button class="plain" type="button" aria-label=${`All of line ${left.line + 1}`}
          @click=${() => this.#type({ [quantity]: '', [amount]: all })}>All of it</button>`
        }
      </div>
      ${formField({ label: 'Quantity', ...text(quantity), onInput: typed => this.#type({ [quantity]: typed, [amount]: '' }) })}
      ${formField({ label: `or amount (${invoice.currency})`, ...text(amount), onInput: typed => this.#type({ [amount]: typed, [quantity]: '' }) })}
    </fieldset>`;
  }
}

customElements.define('pay-credit-dialog', CreditDialog);
