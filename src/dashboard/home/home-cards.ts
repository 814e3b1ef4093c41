import { html, nothing, type TemplateResult } from 'lit';
import type { Overview } from '../../api/client.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { moneyOf, moneyWords, timeWords } from '../controls/values.ts';
import { methods } from '../payments/payment-states.ts';
import { attentionList } from './attention.ts';
import { assetShares, methodShares, type Share, todayOf, volumeOf } from './figures.ts';

/** The data that the cards show. */
interface Shown {
  readonly overview: Overview;
  readonly currency: string;
  readonly days: number;
}

/** The three main figures: today's volume, settled money, and work that waits for a person. */
export function figureCards({ overview, currency }: Shown, app: DashboardContext): TemplateResult {
  const today = todayOf(volumeOf(overview, currency));
  const money = overview.money.find(each => each.currency === currency);
  const { settled = 0, in_balance: balance = 0, waiting = 0 } = money ?? {};
  return html`<div class="figures">
    <section class="card" aria-labelledby="today">
      <h2 class="name" id="today">Today</h2>
      <div class="big">${moneyOf(today.amount, currency)}</div>
      ${today.change === null ? html`<p class="hint">so far</p>` : changeText(today.change)}
    </section>
    <section class="card" aria-labelledby="settled">
      <h2 class="name" id="settled">Settled</h2>
      <div class="big">${moneyOf(settled, currency)}</div>
      <p class="hint">${moneyWords(waiting, currency)} waiting${balance === 0 ? nothing : ` · ${moneyWords(balance, currency)} moved to the balance`}</p>
    </section>
    <section class="card" aria-labelledby="needs">
      <h2 class="name" id="needs">Needs you</h2>
      ${attentionList(overview.attention, app)}
    </section>
  </div>`;
}

function changeText({ percent, weekday }: { percent: number; weekday: string }): TemplateResult {
  const sign = percent > 0 ? '+' : percent < 0 ? '\u2212' : '±';
  const words = `${sign}${Math.abs(percent)} % on ${weekday}s`;
  return html`<p class="change ${percent > 0 ? 'up' : ''}">${words}</p>`;
}

/** The chart of the volume over time. A table has the same data for people who cannot see the chart. */
export function chartCard({ overview, currency, days }: Shown): TemplateResult {
  const points = volumeOf(overview, currency);
  const total = overview.amounts.find(each => each.currency === currency);
  return html`<section class="card" aria-labelledby="paid">
    <div class="card-head">
      <h2 id="paid">Paid <span class="period">· last ${days} days</span></h2>
      <span class="num">${moneyOf(total?.volume ?? 0, currency)}</span>
    </div>
    <pay-volume-chart .points=${points} .currency=${currency}></pay-volume-chart>
    <details class="figures-table">
      <summary>As a table</summary>
      <table class="rows">
        <thead><tr><th scope="col">Day</th><th scope="col" class="end">Paid</th></tr></thead>
        <tbody>${points
          .toReversed()
          .map(
            ({ at, amount }) =>
              html`<tr><th scope="row">${timeWords(at, 'day')}</th><td class="end num">${moneyWords(amount, currency)}</td></tr>`,
          )}</tbody>
      </table>
    </details>
  </section>`;
}

/** The shares of payment methods and received assets, and the share of successful payments. */
export function sharesCard({ overview }: Shown): TemplateResult {
  const rate = overview.counts.success_rate;
  const assets = assetShares(overview);
  return html`<section class="card" aria-labelledby="how">
    <h2 id="how">How people pay</h2>
    ${bars(methodShares(overview, methods))}
    ${assets.length < 2 ? nothing : html`<h3>What you receive</h3>${bars(assets)}`}
    ${rate === null ? nothing : html`<p class="hint">${percentText(rate)} of the payments that ended were paid</p>`}
  </section>`;
}

function percentText(part: number): string {
  return new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
    .format(part)
    .replace('%', '\u00a0%');
}

function bars(shares: readonly Share[]): TemplateResult {
  if (shares.length === 0) return html`<p class="hint">Nothing was paid in this period.</p>`;
  return html`<dl class="shares">${shares.map(
    ({ name, part }) => html`<div>
      <dt>${name}</dt>
      <dd class="num">${percentText(part)}</dd>
      <dd class="bar" aria-hidden="true"><i .style=${`inline-size: ${part * 100}%` as never}></i></dd>
    </div>`,
  )}</dl>`;
}
