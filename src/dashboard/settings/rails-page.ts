import { html, nothing, type TemplateResult } from 'lit';
import type { Capabilities, Capability } from '../../api/dashboard/capabilities.ts';
import { wayName } from '../../core/locale/way-name.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { note } from '../controls/states.ts';
import { sentenceCase, statusChip } from '../controls/status-chip.ts';
import { timeText } from '../controls/values.ts';
import { seesTreasury } from './offers.ts';
import { stateOf, wayKind, wayStates } from './rail-words.ts';

/** The rails and chains with their states. The operator's people also see the settings that real money still needs. */
class RailsPage extends DashboardPage {
  readonly #found = new Loaded<Capabilities>(this, signal => this.app.client.capabilities.retrieve({ signal }));

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Rails and chains',
      subtitle: 'How money comes in, and how payouts leave.',
      actions: html`<button class="second" type="button" @click=${() => void this.#found.reload()}>Reload</button>`,
      body: this.#found.render(found => content(found, seesTreasury(this.app))),
    });
  }
}

const networks: Readonly<Record<Capabilities['network'], string>> = {
  sandbox: 'The server runs in the sandbox: every way is simulated, and no real money moves.',
  testnet: 'The server runs on the Stellar test network, where assets have no value. Other ways are simulated.',
  public: 'The server runs on the public Stellar network. Money is real.',
};

function content({ network, pay_in: payIn, pay_out: payOut }: Capabilities, hasTreasury: boolean): TemplateResult {
  return html`${note(networks[network] ?? '')}
    ${waysCard('in', 'Ways to pay', 'What payers can use. Each payment narrows it by its payment methods.', payIn)}
    ${waysCard('out', 'Ways out', 'What payouts can use.', payOut)}
    <section class="card" aria-labelledby="more">
      <h2 id="more">Not listed</h2>
      <p>A chain or rail that is not listed has no connector in this version. A payout to a wallet on such a chain
        waits on hold, and can be canceled.</p>
      ${settingsHint([...payIn, ...payOut])}
      ${hasTreasury ? html`<p>The <a href=${pathTo('/settings/treasury')}>treasury</a> shows what waits on Stellar.</p>` : nothing}
    </section>`;
}

/** A hint about the settings. Only the operator's people see the names of settings. */
function settingsHint(ways: readonly Capability[]): TemplateResult {
  if (ways.every(({ settings }) => settings.length === 0)) {
    return html`<p class="hint">Who operates the server turns ways on by its settings.</p>`;
  }
  return html`<p class="hint">Settings are environment variables of the server, read at its start. The
    <a href="/docs/settings" target="_blank" rel="noopener">documentation</a> describes each.</p>`;
}

function waysCard(id: 'in' | 'out', heading: string, text: string, ways: readonly Capability[]): TemplateResult {
  return html`<section class="card" aria-labelledby=${id}>
    <div><h2 id=${id}>${heading}</h2><p class="hint">${text}</p></div>
    ${ways.length === 0 ? html`<p>None. Nothing is connected.</p>` : table(id, heading, ways)}
  </section>`;
}

function table(direction: 'in' | 'out', caption: string, ways: readonly Capability[]): TemplateResult {
  return html`<table class="rows">
    <caption class="quiet">${caption}</caption>
    <tbody>${ways.map(
      way => html`<tr>
        <th scope="row">${wayName(way.id)}<div class="second-line">${wayKind(way, direction)}</div>
          ${statusChip(stateOf(way), wayStates)}</th>
        <td>${factsOf(way)}</td>
      </tr>`,
    )}</tbody>
  </table>`;
}

function factsOf(way: Capability): TemplateResult {
  const {
    type,
    accepts,
    arrives_at: at,
    settlement_days: days,
    confirmations,
    reason,
    settings,
    state,
    unreachable_since: since,
  } = way;
  const codes = accepts.map(text => (type === 'card' ? sentenceCase(text) : text.split(':')[0])).join(', ');
  return html`
    ${reason === null ? nothing : html`<div>${reason}</div>`}
    ${since === null ? nothing : html`<div>Since ${timeText(since)}</div>`}
    ${codes === '' ? nothing : html`<div>${codes}</div>`}
    ${at === null ? nothing : html`<div>Sent now, it arrives ${timeText(at)}</div>`}
    ${days === null ? nothing : html`<div>${daysWords(days)}</div>`}
    ${confirmations === null ? nothing : html`<div>Final after ${confirmations} ${confirmations === 1 ? 'confirmation' : 'confirmations'}</div>`}
    ${
      settings.length === 0
        ? nothing
        : html`<div class="second-line">${state === 'off' ? 'Turned on by' : 'For real money set'}
          ${settings.map((name, at) => html`${at === 0 ? nothing : ', '}<span class="mono">${name}</span>`)}</div>`
    }`;
}

const daysWords = (days: number): string =>
  days === 0 ? 'Arrives on the same day' : `Arrives after ${days} bank ${days === 1 ? 'day' : 'days'}`;

customElements.define('pay-rails-page', RailsPage);
