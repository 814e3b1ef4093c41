import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { openMerchant } from '../app/selection.ts';
import type { Session } from '../app/session.ts';
import type { Action } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import { icon } from '../controls/icons.ts';
import { chip } from '../controls/status-chip.ts';

/** The merchants of the person. An operator can add a merchant. `ask` opens the dialog of an action. */
export function merchantsCard(app: DashboardContext, session: Session, ask: (action: Action) => void): TemplateResult {
  const { merchants, merchant: current, livemode } = session;
  if (merchants.length < 2 && !session.is_operator) return html``;
  const add = html`<button class="second" type="button" @click=${() => ask(addMerchantAction(app))}>${icon('add')} Add a merchant</button>`;
  return html`<section class="card" aria-labelledby="merchants">
    <div class="card-head"><h2 id="merchants">Merchants</h2>${session.is_operator ? add : nothing}</div>
    <ul class="people">${merchants.map(
      ({ id, name, role }) => html`<li>
        <div class="who"><strong>${name}</strong><div class="second-line">${role}</div></div>
        <span>${
          id === current.id
            ? chip('this one', 'good')
            : html`<button class="plain" type="button" aria-label=${`Open ${name}`}
              @click=${() => openMerchant(id, livemode ? 'live' : 'test')}>Open</button>`
        }</span>
      </li>`,
    )}</ul>
  </section>`;
}

function addMerchantAction(app: DashboardContext): Action {
  return {
    heading: 'Add a merchant',
    fields: (texts, errors, type) =>
      formField({
        label: 'Name',
        name: 'name',
        value: texts['name'] ?? '',
        maxLength: 100,
        required: true,
        hint: 'Payers see it.',
        error: errors['name'],
        onInput: text => type('name', text),
      }),
    effects: () => [
      { what: 'It has its own', result: 'keys, payments, balance, settings and team' },
      { what: 'Its owner', result: 'is you; invite others on its team page' },
    ],
    button: ({ name = '' }) => (name.trim() === '' ? null : 'Add the merchant'),
    run: async ({ name = '' }, idempotencyKey) => {
      await app.client.team.createMerchant({ name: name.trim() }, { idempotencyKey });
      app.toast({ text: `${name.trim()} is added`, tone: 'good' });
      await app.refreshSession();
    },
  };
}
