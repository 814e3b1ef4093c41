import { html, nothing } from 'lit';
import type { CustomerRamp } from '../../api/ramps/ramp.ts';
import { decimalSign } from '../../core/typed-amount.ts';
import { paint } from '../appearance.ts';
import { chooseLocale, isDark, languageIn } from '../checkout-context.ts';
import { mainButton, note } from '../controls/controls.ts';
import { countDown } from '../countdown.ts';
import { send } from '../events.ts';
import { icon } from '../first-screen/icon.ts';
import { skeleton } from '../first-screen/skeleton.ts';
import { controls } from '../form.ts';
import { adoptStyles } from '../lazy-views.ts';
import { decimalsOf, decimalText } from '../money-text.ts';
import { recall, remember } from '../state/browser-storage.ts';
import { CheckoutApi, newKey } from '../state/checkout-api.ts';
import { baseOf, hasSecretKey } from '../state/checkout-config.ts';
import { strings as en, type RampStrings } from '../strings/en/ramp.ts';
import { styles as formStyles } from '../views/details.ts';
import { kycView } from './kyc-form.ts';
import { rampStyles } from './ramp.styles.ts';
import { problemIn, type RampContext, type RampDraft, stateIn } from './ramp-context.ts';
import type { RampElement } from './ramp-element.ts';
import { quoteBody, rampBody, rampForm } from './ramp-form.ts';
import { announcement, endView, paymentView, progressView, summary } from './ramp-progress.ts';
import { isOver, type RampHandle, type RampState, RampStore } from './ramp-store.ts';

/** The widget's code after the first load. */
export interface RampWidget {
  /** Called at each update: begins anew if the settings have changed. */
  update(): void;
  render(): unknown;
  /** Called when the element is removed. */
  leave(): void;
  restart(): void;
}

/** Languages other than English. */
const languages: Readonly<Record<string, () => Promise<{ readonly strings: RampStrings }>>> = {
  ar: () => import('../strings/ar/ar-ramp.ts'),
  ja: () => import('../strings/ja/ja-ramp.ts'),
};

/** Milliseconds after the last key before a price is asked for. */
const pauseMs = 400;

/** The amount at the start, in minor units, where the page names none. */
const firstAmount = 100_00;

/** Texts that decide what the widget shows. */
const settingsOf = ({ apiKey, baseUrl, rampId, clientSecret, currency, wallet }: RampElement) =>
  JSON.stringify([apiKey, baseUrl, rampId, clientSecret, currency, wallet]);

/** Creates the widget of an element. */
export function createWidget(element: RampElement): RampWidget {
  const sheet = new CSSStyleSheet();
  let started = '';
  let painted = '';
  let context: RampContext | undefined;

  for (const styles of [controls.styles, formStyles, rampStyles]) adoptStyles({ element }, styles);
  (element.renderRoot as ShadowRoot).adoptedStyleSheets.push(sheet);
  controls.attend({ element });
  countDown(element, () => (context ? msLeft(context) : null));

  function leave(): void {
    context?.store.stop();
    context = undefined;
    started = '';
  }

  function begin(): void {
    leave();
    started = settingsOf(element);
    const problem = settingsProblem(element);
    if (problem) {
      complain(element, problem);
      return;
    }
    const memory = createMemory(memoryName(element));
    context = createSession(element, memory, () => {
      memory.forget();
      begin();
      element.requestUpdate();
    });
  }

  return {
    leave,
    update() {
      if (settingsOf(element) !== started) begin();
      if (context) void speak(context);
      if (context) keepPrice(context);
      const wanted = JSON.stringify([element.appearance, brandOf(context)]);
      if (wanted !== painted) paint(sheet, element.appearance, brandOf(context));
      painted = wanted;
    },
    restart: () => context?.restart(),
    render: () => card(element, context),
  };
}

const brandOf = (context: RampContext | undefined) => context && stateIn(context).options?.merchant.primary_color;

/** What is wrong with the page's settings, for its developer. */
function settingsProblem(element: RampElement): string | null {
  const { apiKey, currency, rampId, clientSecret } = element;
  if (hasSecretKey({ apiKey })) return 'api-key takes a publishable key (pk_…). A secret key must stay on your server.';
  if (!baseOf({ baseUrl: element.baseUrl })) return 'Set base-url, or load the script from the service.';
  if (rampId ? clientSecret : apiKey && currency) return null;
  return 'Set api-key and currency, or ramp-id and client-secret.';
}

function complain(element: RampElement, message: string): void {
  console.error(`<pay-ramp> not_set_up: ${message}`);
  send(element, 'pay-ramp-error', { code: 'not_set_up', message });
}

const memoryName = (element: RampElement) => `ramp:${settingsOf(element)}`;

/** The ramp that the page names, or null. */
const givenHandle = ({ rampId, clientSecret = '' }: RampElement): RampHandle | null =>
  rampId ? { id: rampId, secret: clientSecret } : null;

function createSession(element: RampElement, memory: RampMemory, restart: () => void): RampContext {
  const { apiKey } = element;
  const locale = () => chooseLocale(element, element.locale || 'auto', languages);
  const api = new CheckoutApi({
    baseUrl: baseOf({ baseUrl: element.baseUrl }).replace(/\/+$/, ''),
    apiKey,
    proxied: false,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const store = new RampStore({ api, onChange: (state, before) => react(context, state, before) });
  const context: RampContext = {
    element,
    store,
    strings: en,
    draft: { ...firstDraft(element, locale()), ...memory.draft() },
    wrong: {},
    spoken: '',
    now: () => api.now(),
    locale,
    restart,
    change(change) {
      context.draft = { ...context.draft, ...change };
      memory.keepDraft(context.draft);
      element.requestUpdate();
    },
    reprice() {
      clearTimeout(timer);
      timer = setTimeout(() => void store.quote(quoteBody(context)), pauseMs);
    },
    async begin() {
      const { quote } = stateIn(context);
      if (!quote) return;
      const body = rampBody(context, quote);
      const handle = await store.create(body, memory.keyFor(JSON.stringify(body)));
      if (handle) return memory.keep(handle);
      memory.forgetKey();
      if (/^quote_/.test(stateIn(context).problem?.code ?? '')) void store.quote(quoteBody(context));
    },
  };
  void start(context, memory, givenHandle(element));
  return context;
}

function firstDraft({ currency = '', amount, asset = '' }: RampElement, locale: string): RampDraft {
  const minor = decimalText(amount || firstAmount, decimalsOf(currency.toUpperCase()));
  return {
    side: 'pay',
    amount: minor.replace('.', decimalSign(locale)),
    asset,
    method: '',
    wallet: '',
    memo: '',
    memoType: 'text',
    email: '',
    name: '',
  };
}

/**
 * Opens the page's ramp, or the one that this tab began. A ramp of this tab that is over is forgotten, once the page was
 * told. Otherwise reads what is offered.
 */
async function start(context: RampContext, memory: RampMemory, given: RampHandle | null): Promise<void> {
  const { element, store } = context;
  const known = given ?? memory.ramp();
  if (known) {
    await store.open(known);
    const { ramp, problem } = stateIn(context);
    const isGone = problem !== null && problem.status >= 400 && problem.status < 500;
    if (given || !(isGone || (ramp && isOver(ramp) && hasComeAgain(ramp)))) return;
    memory.forget();
    return context.restart();
  }
  await store.loadOptions(element.currency ?? '');
  await store.quote(quoteBody(context));
}

/** Takes over what is offered, and tells the page and screen readers what has changed. */
function react(context: RampContext, state: RampState, before: RampState): void {
  const { element, store, draft } = context;
  const { ramp, options, kyc, busy, problem } = state;
  if (options && !before.options) {
    const asset = options.assets.find(each => each === draft.asset || each.split(':')[0] === draft.asset);
    const method = options.methods.find(each => each === draft.method);
    context.draft = { ...draft, asset: asset ?? options.assets[0] ?? '', method: method ?? options.methods[0] ?? '' };
  }
  if (problem && problem !== before.problem) {
    send(element, 'pay-ramp-error', { code: problem.code, message: problem.message });
  }
  if (ramp && ramp !== before.ramp) {
    tell(element, ramp);
    const said = ramp.status === before.ramp?.status ? '' : announcement(context, ramp);
    if (said) context.spoken = said;
  }
  if (ramp?.status === 'incomplete' && !kyc && !busy && !problem) void store.readKyc();
  element.requestUpdate();
}

const toldKey = ({ id }: CustomerRamp) => `ramp-told:${id}`;
const wasTold = (ramp: CustomerRamp) => recall('sessionStorage', toldKey(ramp)) !== null;

/** Whether the customer knows the end, and has come to the page again. A reload shows the end again. */
function hasComeAgain(ramp: CustomerRamp): boolean {
  const told = recall('sessionStorage', toldKey(ramp));
  if (told === null || told === `${performance.timeOrigin}`) return false;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return visit?.type !== 'reload' && visit?.type !== 'back_forward';
}

/** Tells the page of the ramp: each change, and the success once. Its payment's secret stays here. */
function tell(element: RampElement, { payment_client_secret: _secret, ...ramp }: CustomerRamp): void {
  send(element, 'pay-ramp-change', ramp);
  if (!isOver(ramp) || wasTold(ramp)) return;
  remember('sessionStorage', toldKey(ramp), `${performance.timeOrigin}`);
  if (ramp.status === 'completed') send(element, 'pay-ramp-success', ramp);
}

/** What this tab stores about a widget: its ramp, and what was typed. */
interface RampMemory {
  ramp(): RampHandle | null;
  draft(): Partial<RampDraft>;
  /** The idempotency key for a ramp with this body. It stays the same after a reload during the call. */
  keyFor(body: string): string;
  keep(handle: RampHandle): void;
  keepDraft(draft: RampDraft): void;
  forgetKey(): void;
  /** Forgets the ramp. What was typed stays. */
  forget(): void;
}

interface MemoryEntry {
  readonly ramp?: RampHandle | null;
  readonly draft?: RampDraft;
  readonly order?: { readonly body: string; readonly key: string } | null;
}

function createMemory(name: string): RampMemory {
  const read = (): MemoryEntry => JSON.parse(recall('sessionStorage', name) ?? '{}');
  const write = (change: MemoryEntry) => remember('sessionStorage', name, JSON.stringify({ ...read(), ...change }));
  return {
    ramp: () => read().ramp ?? null,
    draft: () => read().draft ?? {},
    keyFor(body) {
      const known = read().order;
      if (known?.body === body) return known.key;
      const key = newKey();
      write({ order: { body, key } });
      return key;
    },
    keep: ramp => write({ ramp, order: null }),
    keepDraft: draft => write({ draft }),
    forgetKey: () => write({ order: null }),
    forget: () => write({ ramp: null, order: null }),
  };
}

/** Milliseconds until the shown price ends. Null if none is shown. */
function msLeft(context: RampContext): number | null {
  const { quote, ramp } = stateIn(context);
  if (ramp) return ramp.status === 'pending_user_transfer_start' ? until(context, ramp.price_expires_at) : null;
  return quote && until(context, quote.expires_at);
}

const until = ({ now }: RampContext, end: string) => Math.max(0, Date.parse(end) - now());

/** Asks for a new price at the end of the last one, while the page is visible. */
function keepPrice(context: RampContext): void {
  const { quote, ramp, busy } = stateIn(context);
  if (!ramp && quote && !busy && !document.hidden && until(context, quote.expires_at) === 0) {
    void context.store.quote(quoteBody(context));
  }
}

/** Loads the language of the locale. English applies until then, and after a failure. */
async function speak(context: RampContext): Promise<void> {
  const load = languages[languageIn(context.locale())];
  const { strings } = (await load?.().catch(() => null)) ?? { strings: en };
  if (strings === context.strings) return;
  context.strings = strings;
  context.element.requestUpdate();
}

/** The whole widget as a card. */
function card(element: RampElement, context: RampContext | undefined): unknown {
  const strings = context?.strings ?? en;
  const { options, ramp, busy } = context ? stateIn(context) : { options: null, ramp: null, busy: null };
  const isTest = options?.livemode === false || ramp?.livemode === false;
  return html`<section
    class="skin card ${isDark({ element }) ? 'dark' : ''}"
    part="card"
    lang=${strings.lang}
    dir=${strings.dir}
    aria-label=${strings.label}
    aria-busy=${busy !== null}
  >
    ${context ? body(context) : note(strings.setUp, 'bad', 'alert')}
    ${isTest ? html`<footer part="footer">${icon('lock')}<span>${strings.testMode}</span></footer>` : nothing}
    <p class="quiet" role="status">${context?.spoken}</p>
  </section>`;
}

function body(context: RampContext): unknown {
  const { strings, element } = context;
  const { ramp, options, problem } = stateIn(context);
  if (!ramp && !options) {
    if (!problem) return skeleton(strings.label);
    const again = () => void start(context, createMemory(memoryName(element)), givenHandle(element));
    return html`${note(problemIn(context, problem), 'bad', 'alert')} ${mainButton(strings.tryAgain, again)}`;
  }
  if (!ramp) return rampForm(context);
  if (isOver(ramp)) return endView(context, ramp);
  const isToPay = ramp.status === 'pending_user_transfer_start' && ramp.payment !== null;
  return html`${summary(context, ramp)}
  ${isToPay ? paymentView(context, ramp) : ramp.status === 'incomplete' ? kycView(context) : progressView(context, ramp)}`;
}
