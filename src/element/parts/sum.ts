import { css, html, nothing, type TemplateResult } from 'lit';
import type { LinkChoice } from '../../api/link.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { type Desk, localeOf, rootOf } from '../desk.ts';
import { decimalsOf, decimalText, moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { payLinkStrings } from '../strings/en-pay-link.ts';

export const sumStyles = css`
  .offers {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, var(--offer, 5.4em)), 1fr));
    gap: 8px;
    margin-block-end: 12px;
  }
  .wide {
    --offer: 7.6em;
  }
  .widest {
    --offer: 100%;
  }
  .offers button {
    min-block-size: 44px;
    padding: 6px 8px;
    border: 1px solid var(--line);
    border-radius: var(--control);
    font-variant-numeric: tabular-nums;
    font-weight: 500;
    white-space: nowrap;
  }
  .offers [aria-pressed="true"] {
    border-color: var(--accent-text);
    background: var(--soft);
    color: var(--accent-text);
    font-weight: 600;
  }
  .entry {
    display: flex;
    gap: 8px;
  }
  .entry input {
    flex: 1;
    min-inline-size: 0;
    font-variant-numeric: tabular-nums;
    font-weight: 600;
  }
  .entry select,
  .entry b {
    flex: none;
    min-block-size: 48px;
    padding-inline: 12px;
    border: 1px solid var(--line);
    border-radius: var(--pay-radius-field, 10px);
    background: var(--field);
    color: var(--ink);
    font: inherit;
  }
  .entry b {
    display: grid;
    place-items: center;
    border-color: transparent;
    background: none;
    color: var(--ink2);
    font-weight: 500;
  }
  .entry select:focus-visible {
    outline: 3px solid color-mix(in srgb, var(--accent-text) 28%, transparent);
  }
  .entry + p {
    margin-block-start: 6px;
  }
  .offer-title {
    margin-block-end: 10px;
  }
  .range {
    color: var(--ink3);
    font-size: 0.934em;
  }
`;

/** What the payer wants to pay, in the currency's smallest unit. */
export interface Sum {
  readonly amount: number;
  readonly currency: string;
}

/** The part of a form in which a payer names the amount. */
export interface SumField {
  render(choices: readonly LinkChoice[]): TemplateResult;
  /** What is entered; null when it is wrong, which then is said, and has the focus. */
  take(choices: readonly LinkChoice[]): Sum | null;
}

/** What was entered so far; `typed` is undefined until something was offered or typed. */
interface Entry {
  readonly desk: Desk;
  currency: string;
  typed: string | undefined;
  wrong: string;
}

/** Makes it. What is offered is filled in; nothing that was typed is changed. */
export function createSumField(desk: Desk): SumField {
  const entry: Entry = { desk, currency: '', typed: undefined, wrong: '' };
  return {
    render: choices => {
      const choice = settle(entry, choices);
      return choice ? drawn(entry, choice, choices) : html``;
    },
    take: choices => {
      const choice = settle(entry, choices);
      if (!choice) return null;
      const locale = localeOf(desk);
      const amount = parseAmount(entry.typed ?? '', decimalsOf(choice.currency), decimalSign(locale));
      entry.wrong = problemOf(entry, amount, choice);
      desk.element.requestUpdate();
      if (!entry.wrong && amount !== null) return { amount, currency: choice.currency };
      rootOf(desk).querySelector<HTMLElement>('#pay-sum')?.focus();
      return null;
    },
  };
}

const words = ({ strings }: Desk) => strings.parts?.payLink ?? payLinkStrings;
const money = ({ desk, currency }: Entry, minor: number) => moneyText(minor, currency, localeOf(desk));

function plain({ desk, currency }: Entry, minor: number): string {
  return decimalText(minor, decimalsOf(currency)).replace('.', decimalSign(localeOf(desk)));
}

/** The choice in the currency that is taken, the first at first. With another currency comes another offer. */
function settle(entry: Entry, choices: readonly LinkChoice[]): LinkChoice | undefined {
  const choice = choices.find(({ currency }) => currency === entry.currency) ?? choices[0];
  if (!choice) return undefined;
  entry.currency = choice.currency;
  entry.typed ??= choice.preset === null ? '' : plain(entry, choice.preset);
  return choice;
}

function enter(entry: Entry, change: Partial<Pick<Entry, 'typed' | 'currency'>>): void {
  Object.assign(entry, change, { wrong: '' });
  entry.desk.element.requestUpdate();
}

function rangeText(entry: Entry, { min, max }: LinkChoice): string {
  const { between, atLeast, atMost } = words(entry.desk);
  const least = min !== null && min > 1 ? money(entry, min) : '';
  if (max === null) return least && say(atLeast, { min: least });
  return least ? say(between, { min: least, max: money(entry, max) }) : say(atMost, { max: money(entry, max) });
}

function problemOf(entry: Entry, amount: number | null, choice: LinkChoice): string {
  const { amountMissing, amountWrong } = words(entry.desk);
  if (!entry.typed?.trim()) return amountMissing;
  if (amount === null || amount < 1) {
    return say(amountWrong, { currency: entry.currency, example: plain(entry, choice.preset ?? exampleAmount) });
  }
  const isOutside = amount < (choice.min ?? 1) || amount > (choice.max ?? amount);
  return isOutside ? rangeText(entry, choice) : '';
}

const exampleAmount = 2500;

function drawn(entry: Entry, choice: LinkChoice, choices: readonly LinkChoice[]): TemplateResult {
  const { desk, wrong, typed = '' } = entry;
  return html`<div>
    <h2 class="offer-title">${words(desk).choose}</h2>
    ${offers(entry, choice)}
    <label for="pay-sum">${words(desk).amount}</label>
    <div class="entry">
      <input
        id="pay-sum"
        part="field"
        inputmode="decimal"
        autocomplete="transaction-amount"
        maxlength="30"
        .value=${typed}
        aria-invalid=${wrong ? 'true' : 'false'}
        aria-describedby="pay-sum-note"
        @input=${({ target }: Event) => enter(entry, { typed: (target as HTMLInputElement).value })}
      />
      ${currencies(entry, choices)}
    </div>
    <p class=${wrong ? 'wrong' : 'range'} id="pay-sum-note">${wrong || rangeText(entry, choice)}</p>
  </div>`;
}

function offers(entry: Entry, { presets }: LinkChoice): unknown {
  if (!presets[0]) return nothing;
  const labels = presets.map(minor => money(entry, minor));
  // Without the signs of direction, which nobody sees.
  const length = Math.max(...labels.map(label => label.replace(/\p{Cf}/gu, '').length));
  return html`<div class="offers ${length > 11 ? 'widest' : length > 8 ? 'wide' : ''}">
    ${presets.map((minor, index) => {
      const text = plain(entry, minor);
      return html`<button type="button" aria-pressed=${entry.typed === text} @click=${() => enter(entry, { typed: text })}>
        ${labels[index]}
      </button>`;
    })}
  </div>`;
}

function currencies(entry: Entry, choices: readonly LinkChoice[]): TemplateResult {
  if (!choices[1]) return html`<b>${entry.currency}</b>`;
  const change = ({ target }: Event) =>
    enter(entry, { currency: (target as HTMLSelectElement).value, typed: undefined });
  return html`<select aria-label=${words(entry.desk).currency} @change=${change}>
    ${choices.map(({ currency }) => html`<option ?selected=${currency === entry.currency}>${currency}</option>`)}
  </select>`;
}

/** The sign before decimals in the manner of the locale. */
function decimalSign(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}
