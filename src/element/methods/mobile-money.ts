import { css, html, nothing, type TemplateResult } from 'lit';
import type { MobileMoneyOption } from '../../api/payment.ts';
import { choose } from '../checkout-actions.ts';
import { announce, type CheckoutContext, localeOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note, plainButton } from '../controls/controls.ts';
import { createRows, rowStyles } from '../controls/rows.ts';
import { transferStyles } from '../controls/transfer-parts.ts';
import { countDown } from '../countdown.ts';
import { formSkeleton } from '../first-screen/skeleton.ts';
import { moneyText } from '../money-text.ts';
import { type CheckoutState, dueOf, methodsOf } from '../state/checkout-state.ts';
import { mobileMoneyStrings } from '../strings/en/mobile-money.ts';
import { say } from '../strings/en.ts';
import { createPhoneForm, type PhoneForm, phoneFormStyles, setbackText } from './phone-form.ts';
import { type PhonePrompt, promptStyles, promptView } from './phone-prompt.ts';

export const styles = css`
  ${rowStyles}
  ${transferStyles}
  ${phoneFormStyles}
  ${promptStyles}
`;

type Words = typeof mobileMoneyStrings;

/** The tab's sentences in other languages. They are separate chunks, because few payers need them. */
const translations: Readonly<Record<string, () => Promise<{ readonly strings: Words }>>> = {
  ar: () => import('../strings/ar/ar-mobile-money.ts'),
  ja: () => import('../strings/ja/ja-mobile-money.ts'),
};

interface PhoneTab {
  readonly context: CheckoutContext;
  readonly form: PhoneForm;
  readonly rows: ReturnType<typeof createRows>;
  /** Ticks while a prompt is open. */
  readonly ticks: { start(): void; stop(): void };
  /** The loaded sentences and their language. */
  words: Words;
  lang: string;
  /** The open prompt's end, and its whole time as far as this page has seen it. */
  end: string;
  wholeMs: number;
}

/** The mobile-money tab. The payer enters a number, and confirms the payment on the phone. */
export function createView(context: CheckoutContext): View {
  const tab: PhoneTab = {
    context,
    form: createPhoneForm(context),
    rows: createRows(context),
    ticks: ticking(context),
    words: mobileMoneyStrings,
    lang: 'en',
    end: '',
    wholeMs: 1,
  };
  return {
    render(state) {
      if (!isTranslated(tab)) return formSkeleton();
      const prompt = promptOf(state);
      void context.element.updateComplete.then(prompt ? tab.ticks.start : tab.ticks.stop);
      return prompt ? shownPrompt(tab, prompt, state) : entry(tab, state);
    },
    action(state) {
      if (promptOf(state) || !operatorsOf(state).length || !isTranslated(tab)) return null;
      return setbackText(tab.words, state) ? context.strings.tryAgain : tab.words.send;
    },
    below: state => (promptOf(state) ? elsewhere(tab, state) : nothing),
    quoted(state) {
      const asked = promptOf(state) ? undefined : tab.form.option(operatorsOf(state));
      return asked && asked.currency !== state.payment?.currency ? money(tab, asked) : null;
    },
    confirm: () => send(tab),
    dispose: tab.ticks.stop,
  };
}

const operatorsOf = ({ options }: CheckoutState) => options?.mobile_money?.operators ?? [];

const promptOf = ({ payment }: CheckoutState): PhonePrompt | null =>
  payment?.next_action?.type === 'phone_prompt' ? payment.next_action : null;

const money = ({ context }: PhoneTab, { amount, currency }: Pick<MobileMoneyOption, 'amount' | 'currency'>) =>
  moneyText(amount, currency, localeOf(context));

/** Whether the sentences are in the checkout's language. Otherwise loads them; English applies after a failure. */
function isTranslated(tab: PhoneTab): boolean {
  const { context, lang } = tab;
  const wanted = context.strings.lang;
  if (lang === wanted) return true;
  const keep = (strings: Words) => {
    if (context.strings.lang !== wanted) return;
    Object.assign(tab, { words: strings, lang: wanted });
    context.element.requestUpdate();
  };
  const chunk = translations[wanted]?.() ?? Promise.resolve({ strings: mobileMoneyStrings });
  chunk.then(
    ({ strings }) => keep(strings),
    () => keep(mobileMoneyStrings),
  );
  return false;
}

/** Renders the checkout each second between `start` and `stop`, also when the rate's own countdown has ended. */
function ticking(context: CheckoutContext): PhoneTab['ticks'] {
  let isRunning = false;
  let controller: Parameters<Parameters<typeof countDown>[0]['addController']>[0] | undefined;
  const host = {
    addController(given: typeof controller) {
      controller = given;
    },
    requestUpdate: () => context.element.requestUpdate(),
  };
  countDown(host, () => msLeft(context));
  const run = (isWanted: boolean) => {
    if (isRunning === isWanted) return;
    isRunning = isWanted;
    if (isWanted) controller?.hostConnected?.();
    else controller?.hostDisconnected?.();
  };
  return { start: () => run(context.session !== undefined), stop: () => run(false) };
}

/** Milliseconds until the operator ends the prompt, on the server's clock. Null without a prompt. */
function msLeft(context: CheckoutContext): number | null {
  const prompt = promptOf(stateOf(context));
  const now = context.session?.api.now();
  return prompt && now !== undefined ? Math.max(0, Date.parse(prompt.expires_at) - now) : null;
}

function shownPrompt(tab: PhoneTab, prompt: PhonePrompt, state: CheckoutState): TemplateResult {
  const { context, words, rows } = tab;
  const left = msLeft(context) ?? 0;
  if (tab.end !== prompt.expires_at) Object.assign(tab, { end: prompt.expires_at, wholeMs: Math.max(1, left) });
  return promptView({ context, words, rows, msLeft: left, wholeMs: tab.wholeMs }, prompt, state);
}

/** The way to another method. The operator cannot withdraw a prompt, so the payer should refuse it first. */
function elsewhere(tab: PhoneTab, state: CheckoutState): unknown {
  const { context, words } = tab;
  const other = methodsOf(state).find(method => method !== 'mobile_money');
  if (!other) return nothing;
  const leave = async () => {
    choose(context, other);
    await context.element.updateComplete;
    focusOn(context, '[aria-selected=true]');
  };
  return html`${plainButton(words.other, leave)}
    <p class="fine">${words.twice}</p>`;
}

function entry(tab: PhoneTab, state: CheckoutState): unknown {
  const { words, form } = tab;
  const operators = operatorsOf(state);
  const option = form.option(operators);
  const { payment } = state;
  if (!option || !payment) return nothing;
  const setback = setbackText(words, state);
  const due = moneyText(dueOf(payment), payment.currency, localeOf(tab.context));
  const intro = say(words.intro, { amount: money(tab, option) });
  const converted = option.currency === payment.currency ? '' : ` ${say(words.converted, { due })}`;
  return html`${setback ? note(setback, 'bad', 'alert') : note(intro + converted)} ${form.render(words, state)}`;
}

/** Asks for the prompt, and moves the focus to it. An invalid field shows its error and gets the focus. */
async function send(tab: PhoneTab): Promise<void> {
  const { context, words, form } = tab;
  const operators = operatorsOf(stateOf(context));
  if (promptOf(stateOf(context))) return;
  const body = await form.take(words, operators);
  if (!body) return;
  await storeOf(context)?.confirm(body);
  context.element.requestUpdate();
  await context.element.updateComplete;
  const state = stateOf(context);
  if (state.problem?.param === 'number') form.focus();
  if (!promptOf(state)) return;
  announce(context, words.shown);
  focusOn(context, '.prompt h2');
}
