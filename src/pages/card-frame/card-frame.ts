import './card-frame.css';
import {
  type CardField,
  type CardFrameAppearance,
  type CardFrameConnect,
  type CardFrameReply,
  type CardFrameRequest,
  type CardFrameStrings,
  cardFrameConnect,
  cardFrameHash,
} from '../../api/card-frame.ts';
import { digitsOf, parseExpiry } from '../../core/card-number.ts';
import type { CardInputs } from './card.ts';
import { type CardForm, createCardForm } from './card-form.ts';
import { english } from './strings.ts';

const root = document.documentElement;
const address = new URLSearchParams(location.hash.slice(1));
const session = address.get(cardFrameHash.session) ?? '';
const parentOrigin = address.get(cardFrameHash.parent);

/** Accepts the first connect message from the parent window with the expected origin and session. */
function handleMessage(event: MessageEvent): void {
  const port = event.ports[0];
  const isOurs =
    event.source === window.parent &&
    event.origin === parentOrigin &&
    event.data?.type === cardFrameConnect &&
    event.data.session === session &&
    session.length >= 22;
  if (!isOurs || !port) return;
  removeEventListener('message', handleMessage);
  connect(event.data as CardFrameConnect, port);
}

function connect(hello: CardFrameConnect, port: MessagePort): void {
  const strings = hello.strings ?? english;
  const send = (reply: CardFrameReply) => port.postMessage(reply);
  const tell = onlyChanges(send);
  root.lang = hello.locale;
  root.dir = hello.dir === 'rtl' ? 'rtl' : 'ltr';
  applyAppearance(root, hello.appearance);
  const form = createCardForm({
    strings,
    rules: { brands: hello.brands, now: new Date(root.dataset['now'] ?? '') },
    onChange: state => tell({ type: 'change', ...state }),
    onEnter: () => send({ type: 'submit-request' }),
  });
  const lock = createLock(form);
  port.onmessage = ({ data }: MessageEvent<CardFrameRequest>) => {
    if (data.type === 'appearance') applyAppearance(root, data.appearance);
    else if (data.type === 'focus') form.focus();
    else if (data.type === 'disable') lock('page', data.value);
    else if (data.type === 'submit') submit(data.id);
  };
  const submit = createSubmit(form, strings, { send, lock });
  root.dataset['connected'] = '';
  send({ type: 'ready' });
  const fields = document.querySelector('form') as HTMLElement;
  new ResizeObserver(() => tell({ type: 'resize', height: Math.ceil(fields.getBoundingClientRect().height) })).observe(
    fields,
  );
}

/** Sends a reply only if it differs from the last reply of its type. */
function onlyChanges(send: (reply: CardFrameReply) => void): (reply: CardFrameReply) => void {
  const last = new Map<string, string>();
  return reply => {
    const text = JSON.stringify(reply);
    if (last.get(reply.type) === text) return;
    last.set(reply.type, text);
    send(reply);
  };
}

/** Locks the fields while the page or a submit requires it. */
function createLock(form: CardForm): (holder: 'page' | 'submit', locked: boolean) => void {
  const holders = new Set<string>();
  return (holder, locked) => {
    if (locked) holders.add(holder);
    else holders.delete(holder);
    form.lock(holders.size > 0);
  };
}

interface SubmitDeps {
  readonly send: (reply: CardFrameReply) => void;
  readonly lock: ReturnType<typeof createLock>;
}

/** Answers each submit exactly once. A submit during another submit gets the same answer. */
function createSubmit(form: CardForm, strings: CardFrameStrings, { send, lock }: SubmitDeps) {
  let running: Promise<TokenAnswer> | null = null;
  return async (id: string) => {
    if (!running) {
      const fields = form.check();
      if (fields.length > 0) return send({ type: 'invalid', id, fields });
      lock('submit', true);
      running = requestToken(form.values(), strings).finally(() => {
        lock('submit', false);
        running = null;
      });
    }
    send(toReply(form, strings, id, await running));
  };
}

/** Error codes of the service that belong to a field, with the text to show. */
const objections: Readonly<Record<string, readonly [CardField, keyof CardFrameStrings]>> = {
  incorrect_number: ['number', 'numberInvalid'],
  invalid_expiry: ['expiry', 'expiryInvalid'],
  expired_card: ['expiry', 'expiryPast'],
  incorrect_cvc: ['cvc', 'cvcInvalid'],
};

function toReply(form: CardForm, strings: CardFrameStrings, id: string, answer: TokenAnswer): CardFrameReply {
  if ('token' in answer) return { type: 'token', id, ...answer };
  const objection = objections[answer.code];
  if (!objection) return { type: 'error', id, ...answer };
  const [field, text] = objection;
  form.object(field, strings[text]);
  return { type: 'invalid', id, fields: [{ field, message: strings[text] }] };
}

/** A colour by name, in hexadecimal, or as a colour function with numbers. No `url()` and no `var()`. */
const color = /^(#[0-9a-f]{3,8}|[a-z]+|(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([\w\s.,%+/-]*\))$/i;

/** The allowed form of each value. Other values are ignored. */
const grammar: Readonly<Record<Exclude<keyof CardFrameAppearance, 'scheme'>, RegExp>> = {
  ink: color,
  inkSecond: color,
  inkThird: color,
  line: color,
  field: color,
  accent: color,
  bad: color,
  fieldRadius: /^\d{1,2}(\.\d+)?px$/,
  fontFamily: /^[\w\s"',.-]{1,300}$/,
  fontSize: /^\d{2}(\.\d+)?px$/,
};

/** Applies the element's look. Accepts only simple values, because they come from the shop's page. */
function applyAppearance({ style }: HTMLElement, appearance: CardFrameAppearance): void {
  style.colorScheme = appearance.scheme === 'dark' ? 'dark' : 'light';
  for (const [name, pattern] of Object.entries(grammar)) {
    const value = appearance[name as keyof CardFrameAppearance];
    if (pattern.test(value)) style.setProperty(`--${name}`, value);
  }
}

type TokenAnswer =
  | { readonly token: string; readonly brand: string; readonly last4: string }
  | { readonly code: string; readonly message: string };

/** The service always answers sooner. The timeout ends a call without a connection. */
const timeoutMs = 30_000;

/** Sends the card to the frame's own origin, which is the service, and to no other address. */
async function requestToken(card: CardInputs, strings: CardFrameStrings): Promise<TokenAnswer> {
  const expiry = parseExpiry(card.expiry);
  try {
    const response = await fetch('tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
      body: JSON.stringify({
        ticket: new URLSearchParams(location.search).get('ticket'),
        number: digitsOf(card.number),
        exp_month: expiry?.month,
        exp_year: expiry?.year,
        cvc: card.cvc,
        name: card.name.trim(),
      }),
    });
    const body = await response.json();
    if (response.ok) return { token: body.token, brand: body.brand, last4: body.last4 };
    const { code, message } = body.error;
    return { code, message: response.status < 500 ? message : strings.unavailable };
  } catch {
    return navigator.onLine
      ? { code: 'unavailable', message: strings.unavailable }
      : { code: 'offline', message: strings.offline };
  }
}

addEventListener('message', handleMessage);
