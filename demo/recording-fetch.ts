import type { Fetch } from '../src/api/client/transport.ts';
import { isLuhnValid } from '../src/core/card/card-check.ts';
import type { CallActivity, CallWay } from './activity.ts';

interface RecordingDeps {
  readonly fetch: Fetch;
  readonly add: (call: CallActivity) => void;
  readonly from: CallWay;
  /** The body from the browser, when the shop sends the service a different body. */
  readonly received?: () => unknown;
}

/** Longest recorded body, in characters. */
const largestShown = 32_768;

/** Longest recorded body from the browser, in characters. The limit is lower, because browsers are not trusted. */
const largestReceived = 4_096;

/** A `fetch` that records each call with masked bodies, after its response. A stream is recorded when it opens. */
export function recordingFetch({ fetch, add, from, received }: RecordingDeps): Fetch {
  return async (url, init) => {
    const begun = performance.now();
    const { pathname, search } = new URL(url);
    const before = received?.();
    const call = {
      kind: 'call',
      from,
      method: init.method ?? 'GET',
      path: pathname + search,
      ...(before === undefined ? {} : { received: shown(JSON.stringify(before), largestReceived) }),
      request: shown(textOf(init.body)),
    } as const;
    const since = () => Math.round(performance.now() - begun);
    try {
      const answer = await fetch(url, init);
      const ms = since();
      const isLive = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const response = isLive ? 'a live stream' : shown(await answer.clone().text());
      add({ ...call, status: answer.status, ms, response });
      return answer;
    } catch (error) {
      add({ ...call, status: null, ms: since(), response: null });
      throw error;
    }
  };
}

function textOf(body: RequestInit['body']): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}

function shown(text: string, largest = largestShown): unknown {
  if (text === '') return null;
  const value = parsed(text);
  if (text.length <= largest) return masked(value);
  const short = shortened(value);
  return JSON.stringify(short).length > largest ? `${text.length} characters` : masked(short);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Number of elements that a shortened list keeps. */
const shownElements = 3;

/** Shortens the lists of an object. A call that pays 1,000 people shows only the first people. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    if (!Array.isArray(item) || item.length <= shownElements) return [name, item];
    return [name, [...item.slice(0, shownElements), `… and ${item.length - shownElements} more`]];
  });
  return Object.fromEntries(entries);
}

/** Secrets that have a recognisable form, anywhere in a text. */
const patterns: readonly RegExp[] = [
  /\b(sk_(?:test|live)_)[0-9A-Za-z]+/g,
  /\b(pay_[0-9A-Za-z]{1,40}_secret_)[0-9A-Za-z]+/g,
  /\b(whsec_)[0-9A-Za-z+/=]+/g,
  // The token in the address of a hosted checkout opens the payment, like a client secret.
  /(\/checkout\/)[0-9A-Za-z]{20,}/g,
];

/** Digits that are a card number when their check digit is right. */
const cardNumbers = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;

/** Fields whose values are always secret. */
const secretFields: ReadonlySet<string> = new Set(['client_secret', 'secret', 'key', 'token', 'authorization', 'cvc']);

/** Shortest secret whose last four characters are shown. They would reveal most of a shorter secret. */
const shortestShown = 12;

/** Keeps the last four characters of a long secret, so that secrets can be distinguished. */
function hidden(secret: string): string {
  return `…${secret.length < shortestShown ? '' : secret.slice(-4)}`;
}

function maskedText(text: string): string {
  const plain = patterns.reduce((masked, pattern) => {
    return masked.replace(pattern, (all, prefix: string) => prefix + hidden(all));
  }, text);
  return plain.replace(cardNumbers, digits => (isLuhnValid(digits.replace(/\D/g, '')) ? hidden(digits) : digits));
}

/** Copies a JSON value and masks its secrets and card numbers. */
export function masked(value: unknown, field = ''): unknown {
  if (typeof value === 'string' || typeof value === 'number') {
    const plain = String(value);
    const text = maskedText(plain);
    if (text !== plain) return text;
    return secretFields.has(field) ? hidden(plain) : value;
  }
  if (Array.isArray(value)) return value.map(item => masked(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, name)]));
}
