import { css, html, nothing, type TemplateResult } from 'lit';
import type { LinkChoice } from '../../api/link.ts';
import { decimalSign, parseAmount } from '../../core/typed-amount.ts';
import { type CheckoutContext, localeOf, rootOf } from '../checkout-context.ts';
import { decimalsOf, decimalText, moneyText } from '../money-text.ts';
import { payLinkStrings } from '../strings/en/pay-link.ts';
import { say } from '../strings/en.ts';

export const amountFieldStyles = css`
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
    border: 1px solid var(--edge);
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
    border: 1px solid var(--edge);
    border-radius: var(--corner);
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

/** The chosen amount, in minor units of the currency. */
export interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/** The part of a form where the payer chooses the amount. */
export interface AmountField {
  render(choices: readonly LinkChoice[]): TemplateResult;
  /** The entered amount. Null for an invalid amount: the field then shows the reason and gets the focus. */
  take(choices: readonly LinkChoice[]): Amount | null;
}

/**
 * The entered text and currency. `typed` is undefined at the start and after a change of the currency. `settle` then
 * sets `typed` to the preset, or to '' without a preset.
 */
interface Entry {
  readonly context: CheckoutContext;
  currency: string;
  typed: string | undefined;
  wrong: string;
}

/**
 * Creates the field. It begins with the preset amount, or empty without a preset. Typed text stays until the payer
 * chooses an offered amount or another currency.
 */
export function createAmountField(context: CheckoutContext): AmountField {
  const entry: Entry = { context, currency: '', typed: undefined, wrong: '' };
  return {
    render: choices => {
      const choice = settle(entry, choices);
      return choice ? drawn(entry, choice, choices) : html``;
    },
    take: choices => {
      const choice = settle(entry, choices);
      if (!choice) return null;
      const locale = localeOf(context);
      const amount = parseAmount(entry.typed ?? '', decimalsOf(choice.currency), decimalSign(locale));
      entry.wrong = problemOf(entry, amount, choice);
      context.element.requestUpdate();
      if (!entry.wrong && amount !== null) return { amount, currency: choice.currency };
      rootOf(context).querySelector<HTMLElement>('#pay-amount')?.focus();
      return null;
    },
  };
}

const words = ({ strings }: CheckoutContext) => strings.parts?.payLink ?? payLinkStrings;
const money = ({ context, currency }: Entry, minor: number) => moneyText(minor, currency, localeOf(context));

function plain({ context, currency }: Entry, minor: number): string {
  return decimalText(minor, decimalsOf(currency)).replace('.', decimalSign(localeOf(context)));
}

/**
 * The choice in the selected currency. Default: the first choice. Its preset fills the field at the start and after a
 * change of the currency. A field that the payer has emptied stays empty.
 */
function settle(entry: Entry, choices: readonly LinkChoice[]): LinkChoice | undefined {
  const choice = choices.find(({ currency }) => currency === entry.currency) ?? choices[0];
  if (!choice) return undefined;
  entry.currency = choice.currency;
  entry.typed ??= choice.preset === null ? '' : plain(entry, choice.preset);
  return choice;
}

function enter(entry: Entry, change: Partial<Pick<Entry, 'typed' | 'currency'>>): void {
  Object.assign(entry, change, { wrong: '' });
  entry.context.element.requestUpdate();
}

function rangeText(entry: Entry, { min, max }: LinkChoice): string {
  const { between, atLeast, atMost } = words(entry.context);
  const least = min !== null && min > 1 ? money(entry, min) : '';
  if (max === null) return least && say(atLeast, { min: least });
  return least ? say(between, { min: least, max: money(entry, max) }) : say(atMost, { max: money(entry, max) });
}

function problemOf(entry: Entry, amount: number | null, choice: LinkChoice): string {
  const { amountMissing, amountWrong } = words(entry.context);
  if (!entry.typed?.trim()) return amountMissing;
  if (amount === null || amount < 1) {
    return say(amountWrong, { currency: entry.currency, example: plain(entry, choice.preset ?? exampleAmount) });
  }
  const isOutside = amount < (choice.min ?? 1) || amount > (choice.max ?? amount);
  return isOutside ? rangeText(entry, choice) : '';
}

const exampleAmount = 2500;

function drawn(entry: Entry, choice: LinkChoice, choices: readonly LinkChoice[]): TemplateResult {
  const { context, wrong, typed = '' } = entry;
  return html`<div>
    <h2 class="offer-title">${words(context).choose}</h2>
    ${offers(entry, choice)}
    <label for="pay-amount">${words(context).amount}</label>
    <div class="entry">
      <input
        id="pay-amount"
        part="field"
        inputmode="decimal"
        autocomplete="transaction-amount"
        maxlength="30"
        .value=${typed}
        aria-invalid=${wrong ? 'true' : 'false'}
        aria-describedby="pay-amount-note"
        @input=${({ target }: Event) => enter(entry, { typed: (target as HTMLInputElement).value })}
      />
      ${currencies(entry, choices)}
    </div>
    <p class=${wrong ? 'wrong' : 'range'} id="pay-amount-note">${wrong || rangeText(entry, choice)}</p>
  </div>`;
}

function offers(entry: Entry, { presets }: LinkChoice): unknown {
  if (!presets[0]) return nothing;
  const labels = presets.map(minor => money(entry, minor));
  // Direction marks are invisible, so they do not count.
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
  return html`<select aria-label=${words(entry.context).currency} @change=${change}>
    ${choices.map(({ currency }) => html`<option ?selected=${currency === entry.currency}>${currency}</option>`)}
  </select>`;
}
