import { html, nothing, type TemplateResult } from 'lit';
import type { Payout } from '../../../api/payout.ts';
import type { Recipient, RecipientDestination } from '../../../api/recipient.ts';
import { pageFrame } from '../../app/dashboard-page.ts';
import { jsonStyles, rawCard } from '../../app/json-text.ts';
import { Loaded } from '../../app/loaded.ts';
import { PagedRows } from '../../app/paged-rows.ts';
import { pathTo } from '../../app/router.ts';
import { Soon } from '../../app/soon.ts';
import { type Action, ActionPage, actionButtons, actionDialog } from '../../controls/action-dialog.ts';
import { copyButton } from '../../controls/copy-button.ts';
import { keyValues } from '../../controls/key-values.ts';
import { emptyState } from '../../controls/states.ts';
import { chip } from '../../controls/status-chip.ts';
import { shortened, timeText } from '../../controls/values.ts';
import { countryName } from '../countries.ts';
import { loadWaysOut } from '../destination-ways.ts';
import { destinationKinds, destinationWords, payoutColumns } from '../payout-words.ts';
import { mayNotSend } from '../roles.ts';
import { addDestination, editRecipient, makeDefault, removeDestination, removeRecipient } from './recipient-actions.ts';
import { typeWords, verificationChip } from './recipient-words.ts';
import '../../controls/data-table.ts';

/** Pause in ms between two reads of the payouts while new payouts arrive. */
const pauseMs = 1_000;

/** One recipient: its destinations, its payouts and its details. */
class RecipientPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, jsonStyles];

  readonly #recipient = new Loaded<Recipient>(this, signal =>
    this.app.client.recipients.retrieve(this.#id, { signal }),
  );
  readonly #ways = loadWaysOut(this);
  readonly #rows = new PagedRows<Payout>(this, (page, options) =>
    this.app.client.payouts.list({ recipient: this.#id, ...page }, options),
  );
  readonly #soon = new Soon(this, () => this.#rows.reload(), pauseMs);

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'payout.' }, ({ data }) => {
      const { object } = data as { object: Payout };
      if (object.recipient_id !== this.#id) return;
      if (!this.#rows.replace(object)) this.#soon.ask();
      // A payout that has ended may change the verification of its destination.
      if (object.completed_at !== null) void this.#recipient.reload();
    });
  }

  override render(): TemplateResult {
    const recipient = this.#recipient.value;
    if (recipient) this.app.setTitle(recipient.name);
    return html`${pageFrame({
      above: { label: 'Recipients', path: '/recipients' },
      title: recipient ? html`<bdi>${recipient.name}</bdi>` : 'Recipient',
      ...(recipient ? { subtitle: typeWords(recipient) } : {}),
      actions: recipient && this.app.may('money') ? this.#actions(recipient) : nothing,
      body: html`${mayNotSend(this.app)} ${this.#recipient.render(value => this.#body(value))}`,
    })}
    ${actionDialog(this)}`;
  }

  #acting(recipient: Recipient) {
    const done = (changed: Recipient, text: string) => {
      this.#recipient.set(changed);
      this.app.toast({ text, tone: 'good' });
    };
    return { client: this.app.client, recipient, ways: this.#ways.value, done };
  }

  /** A button in a table row. `about` names the row for screen readers. */
  #button(label: string, about: string, action: () => Action): TemplateResult {
    return html`<button class="plain" type="button" aria-label=${`${label} ${about}`}
      @click=${() => this.ask(action())}>${label}</button>`;
  }

  #actions(recipient: Recipient): TemplateResult {
    const acting = this.#acting(recipient);
    const removed = () => {
      this.app.toast({ text: 'Recipient removed', tone: 'good' });
      this.app.go('/recipients');
    };
    const send = pathTo(`/payouts/new?recipient=${recipient.id}`);
    return html`${actionButtons(this, [
      { label: 'Remove', style: 'second', start: () => removeRecipient(this.app.client, recipient, removed) },
      { label: 'Edit', style: 'second', start: () => editRecipient(acting) },
    ])}
    <a class="main" href=${send}>Send money</a>`;
  }

  #body(recipient: Recipient): TemplateResult {
    return html`<div class="beside">
      <div class="stack">
        ${this.#destinations(recipient)}
        <section class="card" aria-labelledby="payouts">
          <h2 id="payouts">Payouts</h2>
          <pay-data-table label="Payouts" .columns=${payoutColumns} .rows=${this.#rows}
            .href=${({ id }: Payout) => pathTo(`/payouts/${id}`)}>
            <div slot="empty">${emptyState('No payouts', 'What you send to this recipient is listed here.')}</div>
          </pay-data-table>
        </section>
      </div>
      <div class="stack">${detailsCard(recipient)}</div>
    </div>`;
  }

  #destinations(recipient: Recipient): TemplateResult {
    const { destinations } = recipient;
    const may = this.app.may('money');
    const add = () => addDestination(this.#acting(recipient));
    return html`<section class="card" aria-labelledby="destinations">
      <div class="card-head">
        <h2 id="destinations">Destinations</h2>
        ${may ? actionButtons(this, [{ label: 'Add a destination', style: 'second', start: add }]) : nothing}
      </div>
      ${
        destinations.length === 0
          ? emptyState('No destination', 'Without one, each payout must say itself where it goes.')
          : html`<table class="rows"><tbody>${destinations.map(place => this.#place(recipient, place, may))}</tbody></table>`
      }
    </section>`;
  }

  #place(recipient: Recipient, place: RecipientDestination, may: boolean): TemplateResult {
    const { destination } = place;
    const acting = this.#acting(recipient);
    const words = destinationWords(destination);
    const change = html`<div class="actions">
      ${place.default ? nothing : this.#button('Make default', words, () => makeDefault(acting, place))}
      ${this.#button('Remove', words, () => removeDestination(acting, place))}
    </div>`;
    return html`<tr>
      <th scope="row">${destinationKinds[destination.type]}
        <div class="actions">${place.default ? chip('Default', 'busy') : nothing} ${verificationChip(place)}</div></th>
      <td>${words} ${copyButton(wholeText(place), `destination ${words}`)}
        ${destination.type === 'bank_account' && destination.account_holder ? html`<div class="second-line"><bdi>${destination.account_holder}</bdi></div>` : nothing}
        ${may ? change : nothing}</td>
    </tr>`;
  }
}

/** The unshortened number or address of a destination, for copying. */
function wholeText({ destination }: RecipientDestination): string {
  if (destination.type === 'mobile_money') return destination.number;
  if (destination.type === 'crypto_wallet') return destination.address;
  return destination.iban ?? destination.account ?? '';
}

function detailsCard(recipient: Recipient): TemplateResult {
  const { id, email, country, reference, metadata, created_at: at } = recipient;
  return html`<section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      ${keyValues([
        { label: 'E-mail', value: email, ...(email !== null && { copy: email }) },
        { label: 'Country', value: country === null ? null : countryName(country) },
        { label: 'Reference', value: reference },
        ...Object.entries(metadata).map(([label, value]) => ({ label, value: String(value) })),
        { label: 'Since', value: timeText(at) },
        { label: 'Id', value: shortened(id, 8, 4), copy: id },
      ])}
    </section>
    ${rawCard(recipient)}`;
}

customElements.define('pay-recipient-page', RecipientPage);
