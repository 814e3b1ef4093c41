import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CreatePaymentLink } from '../../api/link.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf } from '../../element/money-text.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import { SendKey } from '../app/send-key.ts';
import { checkField, fieldErrors, formField, formValues } from '../controls/form-field.ts';
import { errorNote } from '../controls/states.ts';
import '../controls/dialog.ts';

/** The request for the texts of the form. Throws RangeError, with a message for the person, for an invalid amount. */
export function linkOf(values: Readonly<Record<string, string>>, isSingleUse: boolean): CreatePaymentLink {
  const { amount: typed, currency = '', description, expires_at: day } = values;
  const code = currency.toUpperCase();
  const amount = typed === undefined ? undefined : parseAmount(typed, decimalsOf(code), '.');
  if (amount === null) throw new RangeError('Write the amount as a number, for example 42.50.');
  return {
    currency: code,
    ...(amount !== undefined && { amount }),
    ...(description !== undefined && { description }),
    ...(day !== undefined && { expires_at: new Date(`${day}T23:59:59`).toISOString() }),
    ...(isSingleUse && { single_use: true }),
  };
}

/** `<pay-link-form open>`: a dialog that creates a link and opens the link's page. Fires `close` when canceled. */
class LinkForm extends DashboardElement {
  static override readonly properties = {
    open: { type: Boolean },
    error: { state: true },
    badAmount: { state: true },
    isBusy: { state: true },
    isSingleUse: { state: true },
  };

  declare open: boolean;
  declare private error: unknown;
  declare private badAmount: string | null;
  declare private isBusy: boolean;
  declare private isSingleUse: boolean;
  readonly #key = new SendKey();

  constructor() {
    super();
    Object.assign(this, { open: false, error: null, badAmount: null, isBusy: false, isSingleUse: false });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('open')) Object.assign(this, { error: null, badAmount: null, isBusy: false, isSingleUse: false });
  }

  async #create(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    this.error = this.badAmount = null;
    try {
      const body = linkOf(formValues(event.target as HTMLFormElement), this.isSingleUse);
      this.isBusy = true;
      const { paymentLinks } = this.app.client;
      const link = await this.#key.run(body, idempotencyKey => paymentLinks.create(body, { idempotencyKey }));
      this.app.toast({ text: 'Link created', tone: 'good' });
      this.app.go(`/links/${link.id}`, { replace: true });
    } catch (error) {
      this.isBusy = false;
      if (error instanceof RangeError) this.badAmount = error.message;
      else this.error = error;
    }
  }

  override render(): TemplateResult {
    const close = () => this.dispatchEvent(new CustomEvent('close'));
    return html`<pay-dialog heading="New payment link" ?open=${this.open} ?busy=${this.isBusy} @close=${close}>
      <form id="link" class="fields" novalidate @submit=${this.#create}>${this.#fields()}</form>
      <button slot="buttons" class="second" type="button" ?disabled=${this.isBusy} @click=${close}>Cancel</button>
      <button slot="buttons" class="main" form="link" ?disabled=${this.isBusy}>
        ${this.isBusy ? 'Creating …' : 'Create link'}
      </button>
    </pay-dialog>`;
  }

  #fields(): TemplateResult {
    const errors = fieldErrors(this.error);
    const known = ['amount', 'currency', 'description', 'expires_at'];
    const isElsewhere = this.error !== null && !known.some(name => errors[name] !== undefined);
    return html`
      ${formField({
        label: 'Amount',
        name: 'amount',
        inputMode: 'decimal',
        placeholder: '42.50',
        hint: 'Leave it empty to let the payer choose.',
        error: this.badAmount ?? errors['amount'],
      })}
      ${formField({ label: 'Currency', name: 'currency', value: 'EUR', maxLength: 3, required: true, error: errors['currency'] })}
      ${formField({
        label: 'What it is for',
        name: 'description',
        maxLength: 1000,
        placeholder: 'Course “Wheel throwing”, May',
        error: errors['description'],
      })}
      ${formField({ label: 'Last day', name: 'expires_at', type: 'date', hint: 'Without a day the link stays open.', error: errors['expires_at'] })}
      ${checkField('It can be paid once only', 'single_use', this.isSingleUse, checked => {
        this.isSingleUse = checked;
      })}
      ${isElsewhere ? errorNote(this.error) : nothing}`;
  }
}

customElements.define('pay-link-form', LinkForm);
