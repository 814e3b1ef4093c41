import { html, nothing, type TemplateResult } from 'lit';
import type { TreasuryHealth } from '../../api/treasury.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { keyValues } from '../controls/key-values.ts';
import { note } from '../controls/states.ts';
import { chip, sentenceCase } from '../controls/status-chip.ts';
import { assetOf, timeText } from '../controls/values.ts';

/** The treasury: its assets, its channels, and waiting transfers with their reasons. */
class TreasuryPage extends DashboardPage {
  readonly #health = new Loaded<TreasuryHealth>(this, signal => this.app.client.treasury.retrieve({ signal }));

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Treasury',
      subtitle: 'The Stellar account that sends settlements, refunds and payouts.',
      actions: html`<button class="second" type="button" @click=${() => void this.#health.reload()}>Reload</button>`,
      body: this.#health.render(content),
    });
  }
}

function content({ account, balances, channels, waiting, remarks, livemode }: TreasuryHealth): TemplateResult {
  return html`
    ${remarks.map(remark => note(remark, 'warn'))}
    <section class="card" aria-label="Account">
      ${keyValues([
        { label: 'Account', value: html`<span class="mono">${account}</span>`, copy: account },
        { label: 'Network', value: livemode ? 'Public network, real money' : 'Test network' },
        { label: 'Channels', value: `${channels.total}, ${channels.sending} of them sending` },
      ])}
    </section>
    <section class="card" aria-labelledby="balances">
      <h2 id="balances">Balances</h2>
      ${balances.length === 0 ? html`<p>Not read yet. The worker reads them once a minute.</p>` : balanceTable(balances)}
    </section>
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">What waits</h2>
      ${waiting.length === 0 ? html`<p>Nothing. Every transfer has left.</p>` : waitingTable(waiting)}
    </section>`;
}

function balanceTable(balances: TreasuryHealth['balances']): TemplateResult {
  return html`<table class="rows">
    <thead><tr><th scope="col">Asset</th><th scope="col" class="end">Spendable</th></tr></thead>
    <tbody>${balances.map(
      ({ asset, spendable, committed, authorized, low, seen_at: at }) => html`<tr>
        <th scope="row">${asset.split(':')[0]} ${low ? chip('Low', 'bad') : nothing} ${authorized ? nothing : chip('Frozen', 'bad')}
          <div class="second-line">seen ${timeText(at)}</div></th>
        <td class="end">${assetOf(spendable, asset)}
          <div class="second-line">${assetOf(committed, asset)} taken by transfers</div></td>
      </tr>`,
    )}</tbody>
  </table>`;
}

function waitingTable(waiting: TreasuryHealth['waiting']): TemplateResult {
  return html`<table class="rows">
    <thead><tr><th scope="col">Reason</th><th scope="col" class="end">Transfers</th><th scope="col" class="end">Oldest</th></tr></thead>
    <tbody>${waiting.map(
      ({ state, reason, count, oldest_seconds: seconds }) => html`<tr>
        <th scope="row">${reason === null ? (state === 'queued' ? 'About to be sent' : 'Held') : sentenceCase(reason)}</th>
        <td class="end">${count}</td>
        <td class="end">${Math.floor(seconds / 60)} min</td>
      </tr>`,
    )}</tbody>
  </table>`;
}

customElements.define('pay-treasury-page', TreasuryPage);
