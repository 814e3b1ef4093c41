import './card-frame.css';
import {
  type CardFrameAppearance,
  type CardFrameConnect,
  type CardFrameReply,
  type CardFrameRequest,
  cardFrameConnect,
  cardFrameHash,
} from '../../api/card-frame.ts';
import type * as CardChecks from './card-checks.ts';
import type { CheckPort } from './card-checks.ts';
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
  const send = (reply: CardFrameReply) => port.postMessage(reply);
  const tell = onlyChanges(send);
  root.lang = hello.locale;
  root.dir = hello.dir;
  applyAppearance(root, hello.appearance);
  root.dataset['connected'] = '';
  if (root.dataset['form']) {
    return void import('./hosted-form.ts').then(form => form.connectForm(port, root.dataset));
  }
  const form = createCardForm(hello.strings ?? english, () => send({ type: 'submit-request' }));
  const lock = createLock(form);
  const submit = createSubmit(hello, form, { send, tell, lock });
  port.onmessage = ({ data }: MessageEvent<CardFrameRequest>) => {
    if (data.type === 'appearance') applyAppearance(root, data.appearance);
    else if (data.type === 'focus') form.focus();
    else if (data.type === 'disable') lock('page', data.value);
    else if (data.type === 'submit') submit(data.id);
  };
  send({ type: 'ready' });
  const fields = document.querySelector('form') as HTMLFormElement;
  if (root.dataset['wallets']) {
    void import('./wallets.ts').then(wallets => wallets.showWallets(fields, { send, lock }));
  }
  new ResizeObserver(() => tell({ type: 'resize', height: Math.ceil(fields.getBoundingClientRect().height) })).observe(
    fields,
  );
}

/** Returns the submit handler, which waits for the checks. If they cannot be loaded, the next submit tries again. */
function createSubmit({ strings, brands }: CardFrameConnect, form: CardForm, port: CheckPort): (id: string) => void {
  let checks: Promise<(id: string) => Promise<void>> | undefined;
  const now = new Date(root.dataset['now'] ?? '');
  // Chromium never asks again for a module that failed to load. The next attempt therefore has another address.
  let again: string | undefined;
  function load() {
    const loaded: Promise<typeof CardChecks> = again ? import(/* @vite-ignore */ again) : import('./card-checks.ts');
    checks ??= loaded.then(module => module.createChecks(form, port, { strings, rules: { brands, now } }));
    checks.catch(error => {
      checks = undefined;
      again = /http\S+/.exec(error)?.[0].concat('?');
    });
    return checks;
  }
  // The form is shown before the checks load. A focused field loads them at once.
  setTimeout(load, 1000);
  addEventListener('focusin', load, { once: true });
  return id => {
    load().then(
      submit => submit(id),
      () => port.send({ type: 'error', id, code: navigator.onLine ? 'unavailable' : 'offline', message: '' }),
    );
  };
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

/** Locks the fields as long as the page or a submit requires it. */
function createLock(form: CardForm): CheckPort['lock'] {
  const holders = new Set<string>();
  return (holder, locked) => {
    if (locked) holders.add(holder);
    else holders.delete(holder);
    form.lock(holders.size > 0);
  };
}

/** A colour: a name, hexadecimal digits, or a colour function. The pattern refuses `url()` and `var()`. */
const color = /^(#[0-9a-f]{3,8}|[a-z]+|(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([\w\s.,%+/-]*\))$/i;

/** The pattern of each value. A value that does not match is ignored. */
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

addEventListener('message', handleMessage);
