import { html, nothing, type TemplateResult } from 'lit';
import type { RampQuote } from '../../api/ramps/ramp.ts';
import { assetText, moneyText } from '../money-text.ts';
import type { RampStrings } from '../strings/en/ramp.ts';
import { say } from '../strings/en.ts';
import type { RampElement } from './ramp-element.ts';
import type { RampState, RampStore } from './ramp-store.ts';

/** What the customer has typed and chosen. `side`: the amount that the customer typed; the other one follows. */
export interface RampDraft {
  readonly side: 'pay' | 'get';
  readonly amount: string;
  readonly asset: string;
  readonly method: string;
  readonly wallet: string;
  readonly memo: string;
  readonly memoType: 'text' | 'id';
  readonly email: string;
  readonly name: string;
}

/** Values that the parts of one widget share. */
export interface RampContext {
  readonly element: RampElement;
  readonly store: RampStore;
  strings: RampStrings;
  draft: RampDraft;
  /** Errors of fields, by their names. */
  wrong: Readonly<Record<string, string>>;
  /** The text that screen readers announce. */
  spoken: string;
  /** The server's time in milliseconds since 1970. */
  now(): number;
  locale(): string;
  /** Keeps a change of the draft, and draws the widget. */
  change(change: Partial<RampDraft>): void;
  /** Asks for the price of the draft. */
  reprice(): void;
  /** Begins the ramp at the shown price. */
  begin(): Promise<void>;
  restart(): void;
}

/** Both sides of a quote. The widget sells coins only, so the customer gives money and gets coins. */
export function sidesOfQuote({ sell, buy }: RampQuote) {
  return { sell: sell as { currency: string; amount: number }, buy: buy as { asset: string; amount: string } };
}

export const stateIn = ({ store }: RampContext): RampState => store.state;

export const money = (context: RampContext, minor: number, currency: string) =>
  moneyText(minor, currency, context.locale());

/** An amount of coins with its code. Zeros at the end are left out. */
export const coins = (context: RampContext, amount: string, asset: string) =>
  assetText(amount, asset, context.locale(), 7);

/** The code of an asset: `USDC` for `USDC:G…`. */
export const codeOf = (asset: string): string => asset.split(':')[0] ?? asset;

/** An address in the short form by which people compare addresses. */
export const shortened = (address: string) =>
  html`<bdi class="code" dir="ltr">${address.slice(0, 6)}…${address.slice(-6)}</bdi>`;

/** A field with its label and error. `input` gets the attributes that connect them. */
export function field(
  { wrong }: RampContext,
  name: string,
  label: string,
  input: (id: string, invalid: 'true' | 'false', describedBy: string | typeof nothing) => TemplateResult,
  hint = '',
): TemplateResult {
  const id = `ramp-${name}`;
  const note = wrong[name] || hint;
  return html`<div>
    <label for=${id}>${label}</label>
    ${input(id, wrong[name] ? 'true' : 'false', note ? `${id}-note` : nothing)}
    ${note ? html`<p class=${wrong[name] ? 'wrong' : 'hint'} id="${id}-note">${note}</p>` : nothing}
  </div>`;
}

/** The sentence for a problem, in the widget's language if there is one. */
export function problemIn({ strings }: RampContext, { code, message }: { code: string; message: string }): string {
  const known = strings.problems[code];
  return known === undefined
    ? message.replace('. ', '.|') || (strings.problems['unavailable'] ?? '')
    : say(known, { message });
}

/** Minutes and seconds; from an hour on, with hours. */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
