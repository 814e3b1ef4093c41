import { html, type TemplateResult } from 'lit';
import { assetText, moneyText } from '../../element/money-text.ts';
import { merchantClock } from '../app/session.ts';

/** The locale of numbers and times: the browser's if it is English, otherwise `en`, as all texts are English. */
export const locale = (): string => (/^en\b/.test(navigator.language) ? navigator.language : 'en');

/** An amount of minor units on one line, for example `€128.40`. */
export function moneyOf(amount: number, currency: string): TemplateResult {
  return html`<bdi class="figure">${moneyWords(amount, currency)}</bdi>`;
}

/** An amount of minor units as text, for example `€128.40`. A negative amount has a minus sign. */
export function moneyWords(amount: number, currency: string): string {
  const text = moneyText(Math.abs(amount), currency, locale());
  return amount < 0 ? `\u2212${text}` : text;
}

/** A percentage (decimal text), for example `7.7%`. */
export const percentWords = (percent: string): string =>
  new Intl.NumberFormat(locale(), { style: 'unit', unit: 'percent', maximumFractionDigits: 4 }).format(
    percent as Intl.StringNumericLiteral,
  );

/** A quantity (decimal text) with up to 6 decimals, for example `1,250.5`. */
export const quantityWords = (quantity: string): string =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(quantity as Intl.StringNumericLiteral);

/** An asset amount (decimal text) on one line, for example `139.21 USDC`. `asset` may contain its issuer. */
export function assetOf(amount: string, asset: string): TemplateResult {
  return html`<bdi class="figure">${assetWords(amount, asset)}</bdi>`;
}

/** An asset amount as text, for example `139.21 USDC`. */
export const assetWords = (amount: string, asset: string): string =>
  assetText(amount, asset, locale(), 7).replace(/^-/, '\u2212');

const formats = {
  full: { dateStyle: 'medium', timeStyle: 'medium' },
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'long' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** The formats of times. */
export type TimeFormat = keyof typeof formats;

const made = new Map<TimeFormat, Intl.DateTimeFormat>();

/** A time (RFC 3339) as text in the person's time zone. */
export function timeWords(time: string, format: TimeFormat = 'short'): string {
  const writer = made.get(format) ?? new Intl.DateTimeFormat(locale(), formats[format]);
  made.set(format, writer);
  return writer.format(new Date(time));
}

/** A time. The tooltip has the full time. */
export function timeText(time: string, format: TimeFormat = 'short'): TemplateResult {
  return html`<time class="num" datetime=${time} title=${timeWords(time, 'full')}>${timeWords(time, format)}</time>`;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

let relative: Intl.RelativeTimeFormat | undefined;

/** A time within a week of the clock's now as `2m ago`, otherwise the day. `agoText` shows these words and updates them. */
export function agoWords(time: string, clock = merchantClock): string {
  const seconds = (clock.now().getTime() - new Date(time).getTime()) / 1000;
  if (Math.abs(seconds) < 60) return 'now';
  if (Math.abs(seconds) > 7 * 86_400) return timeWords(time, 'day');
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['minute', 60];
  const count = -Math.trunc(seconds / length);
  relative ??= new Intl.RelativeTimeFormat(locale(), { style: 'narrow' });
  return relative.format(count, unit);
}

/** A long id, hash or address without its middle: `GCRJ2K…DRYT5`. The tooltip has the whole text. */
export function shortened(text: string, head = 6, tail = 5): TemplateResult {
  return html`<span class="mono" title=${text}>${shortenedWords(text, head, tail)}</span>`;
}

export function shortenedWords(text: string, head = 6, tail = 5): string {
  return text.length <= head + tail + 3 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}
