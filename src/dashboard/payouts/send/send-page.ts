import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Balance } from '../../../api/balance/balance.ts';
import type { CryptoWalletDestination, PayoutDestination } from '../../../api/payout.ts';
import type { Recipient } from '../../../api/recipient.ts';
import { pageFrame } from '../../app/dashboard-page.ts';
import { Loaded } from '../../app/loaded.ts';
import { pathTo } from '../../app/router.ts';
import { SendKey } from '../../app/send-key.ts';
import { ActionPage, actionDialog, type FormTexts } from '../../controls/action-dialog.ts';
import { checkField, type FormField, fieldErrors, formField } from '../../controls/form-field.ts';
import type { Pick } from '../../controls/picker/picker.ts';
import { errorNote, skeleton } from '../../controls/states.ts';
import { availableOf } from '../batch-funds.ts';
import {
  destinationErrorNames,
  destinationFields,
  destinationStart,
  obstacleNote,
  plainErrors,
} from '../destination-fields.ts';
import { loadWaysOut } from '../destination-ways.ts';
import { unitWords } from '../payout-words.ts';
import { pickOf, recipientFinder } from '../recipients/recipient-finder.ts';
import { placeWords } from '../recipients/recipient-words.ts';
import { mayNotSend } from '../roles.ts';
import { chosenDestination, currencyOf, otherPlace, placeOf, typedOrder, typedPayout } from './payout-form.ts';
import { type CheckedOrder, sendAction } from './send-action.ts';
import '../../controls/picker/picker.ts';

/** One payout: receiver, amount and time. The service checks the payout. A table shows its effect before it is sent. */
class SendPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    texts: { state: true },
    errors: { state: true },
    error: { state: true },
    isChecking: { state: true },
    picked: { state: true },
    recipient: { state: true },
  };

  declare texts: FormTexts;
  /** The error messages by field. */
  declare errors: FormTexts;
  /** The error of the last call. */
  declare error: unknown;
  declare isChecking: boolean;
  /** The chosen recipient, as the picker shows it. */
  declare picked: Pick | null;
  /** The chosen recipient. Null without a choice, and while the recipient is being loaded. */
  declare recipient: Recipient | null;
  readonly #key = new SendKey();

  readonly #balance = new Loaded<Balance>(this, async signal => {
    const { client } = this.app;
    const wanted = this.query.get('recipient');
    const [balance, recipient] = await Promise.all([
      client.balance.retrieve({ signal }),
      wanted ? client.recipients.retrieve(wanted, { signal }) : null,
    ]);
    Object.assign(this, { recipient, picked: recipient && pickOf(recipient) });
    if (!this.texts['currency']) this.#type('currency', firstCurrency(balance));
    return balance;
  });

  readonly #ways = loadWaysOut(this);

  constructor() {
    super();
    Object.assign(this, { texts: destinationStart, errors: {}, error: null, isChecking: false });
    Object.assign(this, { picked: null, recipient: null });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('query') && this.hasUpdated) void this.#balance.reload();
  }

  readonly #type = (name: string, text: string): void => {
    this.texts = { ...this.texts, [name]: text };
  };

  /** Loads the picked recipient. Until then, the form cannot be sent, because the destinations are not known. */
  async #pick(picked: Pick | null): Promise<void> {
    Object.assign(this, { picked, recipient: null, error: null, errors: {} });
    if (picked === null) return;
    try {
      const recipient = await this.app.client.recipients.retrieve(picked.id);
      if (this.picked === picked) this.recipient = recipient;
    } catch (error) {
      if (this.picked === picked) Object.assign(this, { picked: null, error });
    }
  }

  get #isPicking(): boolean {
    return this.picked !== null && this.recipient === null;
  }

  /** Asks the service to check the payout. Then shows the payout's effect, or the errors. */
  async #check(event: Event): Promise<void> {
    event.preventDefault();
    if (this.isChecking || this.#isPicking) return;
    Object.assign(this, { isChecking: true, error: null, errors: {} });
    try {
      const checked = await this.#checked();
      if (checked === null) await this.#focusError();
      else this.ask(sendAction({ client: this.app.client, key: this.#key, done: this.#done }, checked));
    } catch (error) {
      if (error instanceof RangeError) this.errors = { amount: error.message };
      else Object.assign(this, { error, errors: plainErrors(fieldErrors(error)) });
      await this.#focusError();
    }
    this.isChecking = false;
  }

  /** The checked payout. Null if the service refuses the payout. `errors` then has the reasons. */
  async #checked(): Promise<CheckedOrder | null> {
    const { client } = this.app;
    const { recipient } = this;
    const payout = typedPayout(this.texts, recipient);
    const order = typedOrder(payout, this.texts);
    const [check, balance] = await Promise.all([client.payouts.dryRun(order), client.balance.retrieve()]);
    const destination = chosenDestination(this.texts, recipient);
    const objections = check.errors.map(({ param, message }) => [param, message]);
    this.errors = plainErrors(Object.fromEntries(objections));
    if (destination === null || objections.length > 0) return null;
    const asset = isStellar(destination) ? destination.asset : payout.currency;
    const rate = asset === payout.currency ? null : await client.rates.retrieve({ from: payout.currency, to: asset });
    return { order, check, balance, recipient, destination, rate: rate?.rate ?? null };
  }

  readonly #done = (path: string, text: string): void => {
    this.app.toast({ text, tone: 'good' });
    this.app.go(path);
  };

  async #focusError(): Promise<void> {
    this.isChecking = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true], [invalid]')?.focus();
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Payouts', path: '/payouts' },
      title: 'Send money',
      subtitle: 'To one recipient. Nothing moves before you confirm.',
      actions: html`<a class="second" href=${pathTo('/payouts/batches/new')}>Pay many</a>`,
      body: html`${mayNotSend(this.app)}
        ${this.app.may('money') ? this.#balance.render(balance => this.#form(balance)) : nothing}`,
    })}
    ${actionDialog(this)}`;
  }

  #field(field: Omit<FormField, 'value' | 'error' | 'onInput'>): TemplateResult {
    const { name } = field;
    return formField({
      ...field,
      value: this.texts[name] ?? '',
      error: this.errors[name],
      onInput: value => this.#type(name, value),
    });
  }

  #form(balance: Balance): TemplateResult {
    const { error, errors, isChecking, texts } = this;
    const typed = this.#typesDestination() ? destinationErrorNames(texts) : ['place'];
    const known = [
      ...typed,
      'recipient',
      'amount',
      'currency',
      'source_currency',
      'reference',
      'description',
      'schedule.at',
    ];
    const isElsewhere = error !== null && !known.some(name => this.#errorAt(name) !== undefined);
    return html`<form class="stack" novalidate aria-label="Send money" @submit=${this.#check}>
      <section class="card" aria-labelledby="to">
        <h2 id="to">To</h2>
        <fieldset class="grid" aria-labelledby="to">${this.#target()}</fieldset>
      </section>
      <section class="card" aria-labelledby="amount-of">
        <h2 id="amount-of">How much</h2>
        <fieldset class="grid" aria-labelledby="amount-of">${this.#money(balance)}</fieldset>
      </section>
      <section class="card" aria-labelledby="details">
        <h2 id="details">Details</h2>
        <fieldset class="grid" aria-labelledby="details">${this.#details()}</fieldset>
      </section>
      ${isElsewhere ? errorNote(error) : nothing}
      <div class="actions">
        <button class="main" type="submit" ?disabled=${isChecking || this.#isPicking}>${isChecking ? 'Checking …' : 'Continue'}</button>
      </div>
      ${Object.keys(errors).length > 0 ? html`<p class="quiet" role="status">The payout cannot be made yet. Correct the marked fields.</p>` : nothing}
    </form>`;
  }

  /** The error message of a field. An error of a saved destination is shown at the menu of destinations. */
  #errorAt(name: string): string | undefined {
    if (name === 'recipient') return this.errors['recipient_id'];
    if (name !== 'place') return this.errors[name];
    return Object.entries(this.errors).find(([param]) => param.startsWith('destination'))?.[1];
  }

  #typesDestination(): boolean {
    const { recipient } = this;
    return recipient === null || placeOf(this.texts, recipient) === otherPlace;
  }

  #target(): TemplateResult {
    const { picked } = this;
    return html`<pay-picker .label=${'Recipient'} .name=${'recipient'} .none=${'Somebody else'} .chosen=${picked}
      .error=${this.#errorAt('recipient')} ?invalid=${this.#errorAt('recipient') !== undefined}
      .find=${recipientFinder(this.app.client)} @pick=${(event: CustomEvent<Pick | null>) => void this.#pick(event.detail)}></pay-picker>
    ${this.#isPicking ? skeleton(1) : this.#destination()}`;
  }

  #destination(): TemplateResult {
    const { texts, recipient } = this;
    return html`
    ${recipient === null || recipient.destinations.length === 0 ? nothing : this.#places(recipient)}
    ${
      this.#typesDestination()
        ? destinationFields({ texts, errors: this.errors, type: this.#type, ways: this.#ways.value })
        : obstacleNote(chosenDestination(texts, recipient), this.#ways.value)
    }`;
  }

  #places(recipient: Recipient): TemplateResult {
    const places = recipient.destinations.map(place => [place.id, placeWords(place)] as const);
    return formField({
      label: 'Destination',
      name: 'place',
      value: placeOf(this.texts, recipient),
      options: [...places, [otherPlace, 'Another destination']],
      error: this.#typesDestination() ? undefined : this.#errorAt('place'),
      onInput: value => this.#type('place', value),
    });
  }

  #money(balance: Balance): TemplateResult {
    const currency = currencyOf(this.texts);
    const units = balance.available.map(money => ('asset' in money ? money.asset : money.currency));
    const wordsOf = (unit: string) => `${unit.split(':')[0]}, ${unitWords(availableOf(balance, unit), unit)} available`;
    const others = units.filter(unit => unit !== currency).map(unit => [unit, wordsOf(unit)] as const);
    return html`${this.#field({ label: 'Amount', name: 'amount', inputMode: 'decimal', required: true, placeholder: '42.50' })}
      ${this.#field({ label: 'Currency', name: 'currency', required: true, maxLength: 3, hint: 'Three letters, for example EUR.' })}
      ${this.#field({
        label: 'From the balance in',
        name: 'source_currency',
        options: [['', /^[A-Z]{3}$/.test(currency) ? wordsOf(currency) : 'The same currency'], ...others],
      })}`;
  }

  #details(): TemplateResult {
    return html`${this.#field({
      label: 'Reference',
      name: 'reference',
      maxLength: 100,
      hint: 'Your own id of the payout. It can be used only once.',
    })}
    ${this.#field({
      label: 'Description',
      name: 'description',
      maxLength: 140,
      hint: 'The recipient sees it where the rail can carry it.',
    })}
    ${this.#field({
      label: 'Send at',
      name: 'schedule.at',
      type: 'datetime-local',
      hint: 'Empty: at once. The money is reserved at once in both cases.',
    })}
    ${checkField(
      'A second person approves it before it is sent',
      'approval',
      this.texts['approval'] === 'yes',
      checked => this.#type('approval', checked ? 'yes' : ''),
    )}`;
  }
}

/** Whether the payout goes to a wallet on Stellar. Such a payout may be converted into the wallet's asset. */
const isStellar = (destination: PayoutDestination): destination is CryptoWalletDestination =>
  destination.type === 'crypto_wallet' && destination.chain === 'stellar';

/** The first currency of the available balance, or the euro. */
function firstCurrency({ available }: Balance): string {
  const first = available.find(money => 'currency' in money);
  return first !== undefined && 'currency' in first ? first.currency : 'EUR';
}

customElements.define('pay-send-page', SendPage);
