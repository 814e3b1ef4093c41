import { html, nothing, type TemplateResult } from 'lit';
import type { Event } from '../../../api/event.ts';
import type { Kyc, KycField, KycValues } from '../../../api/kyc/kyc.ts';
import { Loaded } from '../../app/loaded.ts';
import { type Askers, askerWords, readAskers } from '../../balance/askers.ts';
import { type ActionPage, actionButtons } from '../../controls/action-dialog.ts';
import { keyValues } from '../../controls/key-values.ts';
import { note } from '../../controls/states.ts';
import { chip, sentenceCase, statusChip } from '../../controls/status-chip.ts';
import { shortened, timeText } from '../../controls/values.ts';
import { kycActions, revealAction } from './kyc-actions.ts';
import { fieldWords, kycStates, tiersWords, typeWords } from './kyc-words.ts';

type Values = KycValues['values'];

/** The identity check on the page of its customer: status, fields, flags, reasons, and the decisions of staff. */
export class KycCard {
  readonly #page: ActionPage;
  readonly #kyc: Loaded<Kyc>;
  /** The names of those who may have decided. Null: no decision was shown yet. */
  #askers: Askers | null = null;
  /** The revealed values. Null: they are hidden. */
  #values: Values | null = null;

  constructor(page: ActionPage, customerId: () => string) {
    this.#page = page;
    this.#kyc = new Loaded(page, async signal => {
      const kyc = await page.app.client.kyc.retrieve(customerId(), { signal });
      if (kyc.decided_by !== null) this.#askers ??= await readAskers(page.app, signal);
      return kyc;
    });
  }

  /** Whether the customer has given data, or staff has decided. */
  get isBegun(): boolean {
    return this.#kyc.value !== null && this.#kyc.value.status !== 'not_started';
  }

  /** Takes over the check of an event. Revealed values are hidden, because they may be old. */
  take({ type, data }: Event): void {
    const { object } = data as { object: Kyc };
    if (type.startsWith('kyc.') && object.customer === this.#kyc.value?.customer) this.#set(object);
  }

  render(): TemplateResult {
    return html`<section class="card" aria-labelledby="kyc">
      <div class="card-head">
        <h2 id="kyc">Identity check</h2>
        ${this.#kyc.value === null ? nothing : statusChip(this.#kyc.value.status, kycStates)}
      </div>
      ${this.#kyc.render(kyc => this.#body(kyc))}
    </section>`;
  }

  #body(kyc: Kyc): TemplateResult {
    if (kyc.status === 'not_started') return html`<p class="hint">The customer has given no data for it.</p>`;
    return html`${notesOf(kyc)} ${factsOf(kyc, this.#askers)} ${fieldsTable(kyc.fields, this.#values)}
      ${this.#page.app.may('money') ? this.#buttons(kyc) : nothing}`;
  }

  #buttons(kyc: Kyc): TemplateResult {
    const { app } = this.#page;
    const done = (changed: Kyc, text: string) => {
      this.#set(changed);
      app.toast({ text, tone: 'good' });
    };
    const hasData = kyc.fields.some(({ status }) => status === 'provided');
    const reveal = () => revealAction(app.client, kyc, values => this.#show(values));
    return html`<div class="actions">
      ${
        this.#values === null
          ? actionButtons(this.#page, [hasData && { label: 'Reveal', style: 'second', start: reveal }])
          : html`<button class="second" type="button" @click=${() => this.#show(null)}>Hide</button>`
      }
      ${actionButtons(this.#page, kycActions({ client: app.client, kyc, done }))}
    </div>`;
  }

  #set(kyc: Kyc): void {
    this.#values = null;
    this.#kyc.set(kyc);
    if (kyc.decided_by !== null && this.#askers === null) void this.#kyc.reload();
  }

  #show(values: Values | null): void {
    this.#values = values;
    this.#page.requestUpdate();
  }
}

function notesOf({ flags, rejection_reasons: reasons }: Kyc): TemplateResult {
  const hits = flags.map(
    ({ screen, reason }) => html`<li>${reason} <span class="second-line">${sentenceCase(screen)}</span></li>`,
  );
  return html`${flags.length === 0 ? nothing : note(html`<strong>A list has a hit. Examine it before you approve.</strong><ul>${hits}</ul>`, 'warn')}
    ${reasons.length === 0 ? nothing : note(html`<strong>The customer was told:</strong><ul>${reasons.map(reason => html`<li>${reason}</li>`)}</ul>`)}`;
}

function factsOf(kyc: Kyc, askers: Askers | null): TemplateResult {
  const { type, provider, provider_reference: reference, decided_by: by, decided_at: at } = kyc;
  return keyValues([
    { label: 'Tier', value: tiersWords(kyc) },
    { label: 'Customer is a', value: typeWords[type].toLowerCase() },
    { label: 'Checked by', value: provider === null ? 'Your staff or program' : sentenceCase(provider) },
    reference !== null && { label: 'Reference', value: shortened(reference), copy: reference },
    at !== null && {
      label: 'Decided',
      value: html`${timeText(at)}${by === null ? nothing : ` · ${askerWords(askers, by)}`}`,
    },
  ]);
}

function fieldsTable(fields: readonly KycField[], values: Values | null): TemplateResult | typeof nothing {
  if (fields.length === 0) return nothing;
  return html`<table class="rows">
    <caption class="quiet">Data of the identity check</caption>
    <tbody>${fields.map(field => {
      const value = values?.[field.name];
      return html`<tr>
        <th scope="row">${fieldWords(field)}</th>
        <td class="end">${value === undefined ? stateOf(field) : html`<bdi>${value}</bdi>`}</td>
      </tr>`;
    })}</tbody>
  </table>`;
}

const stateOf = ({ status }: KycField): TemplateResult =>
  status === 'provided' ? chip('Given', 'good') : chip('Needed', 'warn');
