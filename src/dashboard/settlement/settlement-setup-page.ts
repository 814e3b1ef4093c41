import { html, nothing, type TemplateResult } from 'lit';
import type { Approval, Settlement } from '../../api/client.ts';
import type { Account } from '../../api/merchant.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { allowed, Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { hasRight } from '../app/session.ts';
import { type Askers, readAskers } from '../balance/askers.ts';
import { waitingChange } from '../balance/waiting-change.ts';
import type { FormTexts } from '../controls/action-dialog.ts';
import { fieldErrors } from '../controls/form-field.ts';
import { errorNote, note, roleNote } from '../controls/states.ts';
import { destinationErrorNames } from '../payouts/destination-fields.ts';
import { loadWaysOut } from '../payouts/destination-ways.ts';
import { destinationWords } from '../payouts/payout-words.ts';
import { nextPayouts } from './settlement-words.ts';
import { isInCurrency, setupErrorNames, setupFields, setupTexts, typedTerms } from './setup-form.ts';

/** The setup of settlement: the asset or currency, its destination and its time. */
class SettlementSetupPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    texts: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };

  /** The typed texts. Null: nothing was typed since the account was read. */
  declare texts: FormTexts | null;
  declare error: unknown;
  declare isBusy: boolean;

  readonly #account = new Loaded<Account>(this, signal => this.app.client.account.retrieve({ signal }));
  readonly #askers = new Loaded<Askers>(this, signal => readAskers(this.app, signal));
  readonly #others = new Loaded<boolean>(this, async signal => {
    const team = await allowed(this.app.client.team.list({ signal }));
    return team.some(({ id, role }) => id !== this.app.session?.person.id && hasRight(role, 'manage'));
  });
  readonly #open = new Loaded<readonly Settlement[]>(this, signal =>
    allowed(this.app.client.settlements.list({ status: 'open' }, { signal })),
  );
  readonly #ways = loadWaysOut(this);

  constructor() {
    super();
    Object.assign(this, { texts: null, error: null, isBusy: false });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Another person may approve or cancel a change of the destination.
    this.follow({ type: 'approval.' }, ({ data }) => {
      if ((data as { object: Approval }).object.kind === 'settlement_destination') void this.#account.reload();
    });
  }

  async #save(event: Event, before: Account): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    const settlement = typedTerms(this.texts ?? setupTexts(before.settlement), before.settlement);
    const focused = this.shadowRoot?.activeElement as HTMLElement | null | undefined;
    Object.assign(this, { isBusy: true, error: null });
    try {
      const account = await this.app.client.account.update({ settlement });
      this.#account.set(account);
      this.texts = null;
      this.app.toast({ text: outcomeOf(before.settlement, account.settlement), tone: 'good' });
      void this.#open.reload();
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
    await this.updateComplete;
    // The disabled fields have lost the focus.
    (this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]') ?? focused)?.focus();
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Settlement',
      subtitle: 'What the money of completed payments becomes, and where it goes.',
      actions: html`<a class="second" href=${pathTo('/balance/settlements')}>Settlements</a>`,
      body: this.#account.render(account => this.#body(account)),
    });
  }

  #body(account: Account): TemplateResult {
    const { settlement } = account;
    const change = settlement.destination_change;
    return html`${roleNote(this.app, 'manage')}
      ${nextPayouts(this.#open.value ?? [])}
      ${change === undefined ? nothing : waitingChange(this.app, this.#askers.value, change, changeWords(settlement.destination, change.destination))}
      ${this.#form(account)}`;
  }

  #form(account: Account): TemplateResult {
    const { error, isBusy } = this;
    const texts = this.texts ?? setupTexts(account.settlement);
    const errors = plainErrors(fieldErrors(error));
    const shown = [...setupErrorNames, ...destinationErrorNames(texts)];
    const isElsewhere = error !== null && !shown.some(name => errors[name] !== undefined);
    const may = this.app.may('manage');
    const type = (name: string, text: string) => {
      this.texts = { ...(this.texts ?? texts), [name]: text };
    };
    return html`<form class="card" novalidate aria-label="Settlement" @submit=${(event: Event) => this.#save(event, account)}>
      ${this.#destinationNote(account, texts)}
      <fieldset class="grid" aria-label="Settlement" ?disabled=${!may || isBusy}>
        ${setupFields({ texts, errors, type, ways: this.#ways.value, timezone: account.timezone })}
      </fieldset>
      ${isElsewhere ? errorNote(error) : nothing}
      ${may ? html`<div class="actions"><button class="main" type="submit" ?disabled=${isBusy}>${isBusy ? 'Saving …' : 'Save'}</button></div>` : nothing}
    </form>`;
  }

  /** What a new destination needs, once there is one. */
  #destinationNote({ settlement: { destination } }: Account, texts: FormTexts): TemplateResult | typeof nothing {
    if (destination === null || texts['kind'] === 'asset' || !this.app.may('manage')) return nothing;
    if (this.#others.value !== false) {
      return html`<p class="hint">Another owner or admin approves a new destination. Until then, payouts go to the old one.</p>`;
    }
    return note(
      html`<strong>No other person can approve a new destination.</strong> It stays as it is until a second owner or admin
        joins. <a href=${pathTo('/team')}>Invite a person</a>`,
      'warn',
    );
  }
}

/** Errors by the form's field: `settlement.destination.iban` becomes `destination.iban`. */
const plainErrors = (errors: FormTexts): FormTexts =>
  Object.fromEntries(
    Object.entries(errors).map(([param, message]) => [param.replace(/^settlement\.(?=destination)/, ''), message]),
  );

function outcomeOf(before: Account['settlement'], after: Account['settlement']): string {
  const { destination_change: waiting } = after;
  const isNew = waiting !== undefined && waiting.id !== before.destination_change?.id;
  if (isNew) return 'The new destination waits for another person';
  return isInCurrency(after) ? `Payments are settled in ${after.asset}` : 'Settlement saved';
}

function changeWords(before: SettlementDestination | null, after: SettlementDestination | null): string {
  const from = before === null ? '' : ` ${destinationWords(before)}`;
  return after === null ? `remove the destination${from}` : `replace${from} by ${destinationWords(after)}`;
}

customElements.define('pay-settlement-setup-page', SettlementSetupPage);
