import { css, html, nothing } from 'lit';
import type { MobileMoneyOption } from '../../api/payment.ts';
import type { OpenPrompt } from '../../api/payments/prompt.ts';
import { announce, type CheckoutContext, localeOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note } from '../controls/controls.ts';
import { createRows, rowStyles } from '../controls/rows.ts';
import { transferStyles } from '../controls/transfer-parts.ts';
import { countDown } from '../countdown.ts';
import { formSkeleton } from '../first-screen/skeleton.ts';
import { adoptStyles } from '../lazy-views.ts';
import { moneyText } from '../money-text.ts';
import { type CheckoutState, dueOf } from '../state/checkout-state.ts';
import { mobileMoneyStrings } from '../strings/en/mobile-money.ts';
import { say } from '../strings/en.ts';
import { createPhoneForm, type PhoneForm, phoneFormStyles, setbackText } from './phone-form.ts';
import type { PromptWords } from './phone-prompt.ts';

export const styles = css`
  ${rowStyles}
  ${transferStyles}
  ${phoneFormStyles}
`;

/** The sentences of the tab. A translation also has those of an open prompt. */
type Words = typeof mobileMoneyStrings & Partial<PromptWords>;

/** The view of an open prompt is a separate chunk, because the payer sees the form first. */
const promptChunk = () => import('./phone-prompt.ts');
let promptPart: Awaited<ReturnType<typeof promptChunk>> | undefined;

/** Loads the view of an open prompt. After a failure, the next render that needs it tries again. */
async function fetchPrompt(context: CheckoutContext): Promise<void> {
  try {
    promptPart ??= await promptChunk();
  } catch {
    return;
  }
  adoptStyles(context, promptPart.styles);
  context.element.requestUpdate();
}

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
  /** The prompt that was last drawn, or null. */
  open: OpenPrompt | null;
  /** The whole time of that prompt, as far as this page has seen it. */
  wholeMs: number;
  /** The announcement of the prompt. It is removed with the prompt. */
  told: string;
}

/** The mobile-money tab. The payer enters a number, and confirms the payment on the phone. */
export function createView(context: CheckoutContext): View {
  const tab: PhoneTab = {
    context,
    form: createPhoneForm(context),
    rows: createRows(context),
    ticks: ticking(() => (tab.open ? msUntil(tab, tab.open) : null), context),
    words: mobileMoneyStrings,
    lang: 'en',
    open: null,
    wholeMs: 1,
    told: '',
  };
  void fetchPrompt(context);
  return {
    render(state) {
      const prompt = promptOf(tab, state);
      void context.element.updateComplete.then(prompt ? tab.ticks.start : tab.ticks.stop);
      if (!prompt || state.method !== 'mobile_money') silence(tab);
      if (!isTranslated(tab)) return formSkeleton();
      return prompt ? shownPrompt(tab, prompt, state) : entry(tab, state);
    },
    action(state) {
      if (promptOf(tab, state) || !operatorsOf(state).length || !isTranslated(tab)) return null;
      const isRetry = setbackText(tab.words, state) && !isQuestion(state);
      return isRetry ? context.strings.tryAgain : tab.words.send;
    },
    below: state =>
      promptOf(tab, state) ? promptPart?.elsewhere(context, promptPart.promptWords(tab.words), state) : nothing,
    quoted(state) {
      const asked = promptOf(tab, state) ? undefined : tab.form.option(operatorsOf(state));
      return asked && asked.currency !== state.payment?.currency ? money(tab, asked) : null;
    },
    warning: state => (promptOf(tab, state) && isTranslated(tab) && promptPart?.promptWords(tab.words).open) || null,
    confirm: () => send(tab),
    dispose: tab.ticks.stop,
  };
}

const operatorsOf = ({ options }: CheckoutState) => options?.mobile_money?.operators ?? [];

/**
 * The prompt that the payer can still approve. After the payer has chosen another method, the payment no longer waits for
 * it, so this page does not show that it has ended.
 */
function promptOf(tab: PhoneTab, { payment }: CheckoutState): OpenPrompt | null {
  const action = payment?.next_action;
  const isAwaited = action?.type === 'phone_prompt';
  const found = (isAwaited ? action : payment?.open_prompt) ?? null;
  const prompt = found && (isAwaited || msUntil(tab, found)) ? found : null;
  if (prompt && tab.open?.expires_at !== prompt.expires_at) tab.wholeMs = Math.max(1, msUntil(tab, prompt));
  tab.open = prompt;
  return prompt;
}

/** Milliseconds until the operator ends the prompt, on the server's clock. */
function msUntil({ context }: PhoneTab, { expires_at: end }: OpenPrompt): number {
  return Math.max(0, Date.parse(end) - (context.session?.api.now() ?? 0));
}

/** Whether the setback asks the payer, who may send a prompt. */
const isQuestion = ({ payment, problem }: CheckoutState) =>
  /^(price_changed|prompt_unanswered)$/.test((problem ?? payment?.last_attempt)?.code ?? '');

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
function ticking(msLeft: () => number | null, context: CheckoutContext): PhoneTab['ticks'] {
  let isRunning = false;
  let controller: Parameters<Parameters<typeof countDown>[0]['addController']>[0] | undefined;
  const host = {
    addController(given: typeof controller) {
      controller = given;
    },
    requestUpdate: () => context.element.requestUpdate(),
  };
  countDown(host, msLeft);
  const run = (isWanted: boolean) => {
    if (isRunning === isWanted) return;
    isRunning = isWanted;
    if (isWanted) controller?.hostConnected?.();
    else controller?.hostDisconnected?.();
  };
  return { start: () => run(context.session !== undefined), stop: () => run(false) };
}

function shownPrompt(tab: PhoneTab, prompt: OpenPrompt, state: CheckoutState): unknown {
  const { context, words, rows, wholeMs } = tab;
  if (!promptPart) {
    void fetchPrompt(context);
    return formSkeleton();
  }
  const refusal = (state.problem?.code === 'prompt_open' && words.problems['prompt_open']) || '';
  const parts = { context, words: promptPart.promptWords(words), rows, refusal, wholeMs, msLeft: msUntil(tab, prompt) };
  return promptPart.promptView(parts, prompt, state);
}

/** Removes the announcement of a prompt that was answered, or that the payer has left. */
function silence(tab: PhoneTab): void {
  const { context, told } = tab;
  tab.told = '';
  if (told && context.spoken === told) void context.element.updateComplete.then(() => announce(context, ''));
}

function entry(tab: PhoneTab, state: CheckoutState): unknown {
  const { words, form } = tab;
  const operators = operatorsOf(state);
  const option = form.option(operators);
  const { payment } = state;
  if (!option || !payment) return nothing;
  const setback = say(setbackText(words, state), { amount: money(tab, option) });
  const due = moneyText(dueOf(payment), payment.currency, localeOf(tab.context));
  const intro = say(words.intro, { amount: money(tab, option) });
  const converted = option.currency === payment.currency ? '' : ` ${say(words.converted, { due })}`;
  return html`${setback ? note(setback, isQuestion(state) ? 'warn' : 'bad', 'alert') : note(intro + converted)} ${form.render(words, state)}`;
}

/** Asks for the prompt, and moves the focus to it. An invalid field shows its error and gets the focus. */
async function send(tab: PhoneTab): Promise<void> {
  const { context, words, form } = tab;
  const operators = operatorsOf(stateOf(context));
  if (promptOf(tab, stateOf(context))) return;
  const body = await form.take(words, operators);
  if (!body) return;
  await storeOf(context)?.confirm(body);
  if (stateOf(context).problem?.code === 'price_changed') await storeOf(context)?.readOptions();
  context.element.requestUpdate();
  await context.element.updateComplete;
  const state = stateOf(context);
  if (state.problem?.param === 'number') form.focus();
  if (!promptOf(tab, state)) return;
  await fetchPrompt(context);
  if (!promptPart) return;
  tab.told = promptPart.promptWords(words).shown;
  announce(context, tab.told);
  await context.element.updateComplete;
  focusOn(context, '.prompt h2');
}
