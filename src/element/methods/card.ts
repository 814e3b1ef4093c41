import { css, html, nothing, type TemplateResult } from 'lit';
import { announce, type CheckoutContext, localeOf, rootOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { note, plainButton, problemText, report } from '../controls/controls.ts';
import { formSkeleton } from '../first-screen/skeleton.ts';
import { fetchView, renderView, viewOf } from '../lazy-views.ts';
import { moneyText } from '../money-text.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { cardStrings } from '../strings/en/card.ts';
import { say } from '../strings/en.ts';
import {
  type CardFrameConnection,
  openCardFrame,
  readAppearance,
  type TokenReply,
  webUrl,
} from './card-frame-connection.ts';

export const styles = css`
  .fields {
    display: grid;
    margin: -4px;
  }
  .fields > *,
  ::slotted(*) {
    grid-area: 1 / 1;
  }
  .fields slot {
    display: block;
  }
  .fields .bones {
    margin: 4px;
  }
  .probe {
    position: absolute;
    visibility: hidden;
    border: 0 solid;
    border-color: var(--edge) var(--ink2) var(--ink3) var(--accent-text);
    border-radius: var(--corner);
    outline: 0 solid var(--bad);
    background: var(--field);
    color: var(--ink);
    font-size: calc(1em / 0.9375);
  }
`;

/** Milliseconds from the ready fields to the loading of the card marks, so that the marks do not delay other code. */
const marksMs = 1000;

const stringsOf = ({ strings }: CheckoutContext) => strings.parts?.card ?? cardStrings;

interface CardTab {
  readonly context: CheckoutContext;
  connection: CardFrameConnection | undefined;
  frame: 'loading' | 'ready' | 'silent';
  /** Whether the frame is creating a token. */
  isAsking: boolean;
  /** The message after a press that did not pay: the frame was loading, or created no token. Otherwise blank. */
  trouble: string;
  /** Whether the payer chose another card instead of continuing with the bank. */
  wantsOtherCard: boolean;
  /** Draws the marks of the accepted cards. Missing until they are loaded. */
  marks?: (state: CheckoutState) => unknown;
  /** The look and the locked state that the frame got last. */
  sent: string;
}

/** The card tab: the frame with the card fields, and the bank's page if the bank requires one. */
export function createView(context: CheckoutContext): View {
  const tab: CardTab = {
    context,
    connection: undefined,
    frame: 'loading',
    isAsking: false,
    trouble: '',
    wantsOtherCard: false,
    sent: '',
  };
  return {
    render(state) {
      void context.element.updateComplete.then(() => settle(tab));
      return render(tab, state);
    },
    action(state) {
      const strings = stringsOf(context);
      if (isChallenged(tab, state)) return strings.challengeAction;
      const { amount, currency } = state.options?.card ?? {};
      return amount && currency ? say(strings.pay, { amount: moneyText(amount, currency, localeOf(context)) }) : null;
    },
    below: state =>
      isChallenged(tab, state) ? plainButton(stringsOf(context).otherCard, () => takeOtherCard(tab)) : nothing,
    isBusy: () => tab.isAsking,
    async confirm() {
      if (isChallenged(tab, stateOf(context))) await openBankPage(context);
      else await pay(tab);
    },
    dispose() {
      tab.connection?.close();
      viewOf(context, 'challenge')?.dispose?.();
    },
  };
}

function update(tab: CardTab, change: Partial<CardTab>): void {
  Object.assign(tab, change);
  tab.context.element.requestUpdate();
}

/** Loads a new frame with empty fields. */
function takeOtherCard(tab: CardTab): void {
  update(tab, { wantsOtherCard: true });
  reload(tab);
}

/** Whether the bank requires authentication (3-D Secure). */
const isAsked = ({ payment }: CheckoutState) => payment?.next_action?.type === 'redirect';

async function openBankPage(context: CheckoutContext): Promise<void> {
  await fetchView(context, 'challenge');
  await viewOf(context, 'challenge')?.confirm?.();
}

/** Whether the tab leads to the bank: authentication is required, and the payer did not choose another card. */
function isChallenged({ wantsOtherCard, isAsking }: CardTab, { payment, busy }: CheckoutState): boolean {
  return payment?.next_action?.type === 'redirect' && !wantsOtherCard && !isAsking && busy !== 'confirm';
}

function render(tab: CardTab, state: CheckoutState): TemplateResult {
  const { context } = tab;
  const strings = stringsOf(context);
  const challenged = isChallenged(tab, state);
  const silent = tab.frame === 'silent';
  const setback = challenged ? '' : setbackOf(tab, state);
  return html`<span class="probe"></span>
    ${challenged ? note(strings.challenge) : nothing}
    ${silent ? [note(strings.frameFailed, 'bad', 'alert'), plainButton(strings.again, () => reload(tab))] : nothing}
    ${setback ? note(setback, 'bad', 'alert') : nothing}
    <div class="fields" ?hidden=${challenged || silent}>
      ${tab.frame === 'ready' ? nothing : formSkeleton()}<slot name="card"></slot>${tab.marks?.(state)}
    </div>
    ${isAsked(state) || viewOf(context, 'challenge') ? renderView(context, 'challenge') : nothing}`;
}

/** Why the last press of the main button did not pay. Blank while offline, because the panel has a note for that. */
function setbackOf({ context, trouble }: CardTab, { up, problem }: CheckoutState): string {
  if (!up) return '';
  return problem?.status === 0 || problem?.code === 'quote_expired' ? stringsOf(context).unsent : trouble;
}

/** Opens the frame if there is none. Updates the look of a ready frame, and locks or unlocks its fields. */
function settle(tab: CardTab): void {
  const { context, connection, isAsking } = tab;
  const state = stateOf(context);
  if (!connection) open(tab, state);
  if (!connection || tab.frame !== 'ready') return;
  const appearance = readAppearance(rootOf(context));
  const value = isAsking || state.busy === 'confirm';
  const sent = JSON.stringify([appearance, value]);
  if (sent === tab.sent) return;
  tab.sent = sent;
  connection.send({ type: 'appearance', appearance });
  connection.send({ type: 'disable', value });
}

function open(tab: CardTab, { options }: CheckoutState): void {
  const { context } = tab;
  const url = webUrl(options?.card?.frame_url);
  if (!url) return;
  tab.connection = openCardFrame(context.element, {
    url,
    title: stringsOf(context).frameTitle,
    hello: () => ({
      appearance: readAppearance(rootOf(context)),
      locale: context.strings.lang,
      dir: context.strings.dir ?? (getComputedStyle(context.element).direction === 'rtl' ? 'rtl' : 'ltr'),
      brands: options?.card?.brands ?? [],
      strings: context.strings.parts?.cardFrame ?? null,
    }),
    onReady() {
      update(tab, { frame: 'ready', sent: '', trouble: '' });
      setTimeout(showMarks, marksMs, tab);
    },
    onSubmit: () => context.element.confirm(),
    onWallet: reply => void take(tab, reply),
    onSilence() {
      report(context, { code: 'card_frame_unreachable', message: `The card frame at ${url.origin} did not answer.` });
      update(tab, { frame: 'silent', trouble: '' });
    },
  });
}

/** Loads the marks of the accepted cards. After a failure, the form has no marks. */
const showMarks = (tab: CardTab) =>
  import('./accepted-cards.ts').then(
    ({ acceptedCards }) => update(tab, { marks: acceptedCards(tab.context) }),
    () => {},
  );

function reload(tab: CardTab): void {
  tab.connection?.close();
  update(tab, { connection: undefined, frame: 'loading', trouble: '' });
}

const troubleOf = (context: CheckoutContext, reply: TokenReply & { type: 'error' }) =>
  reply.code === 'offline'
    ? stringsOf(context).unsent
    : reply.message
      ? problemText(context, reply)
      : stringsOf(context).frameSilent;

/**
 * Gets a token for the card and pays with it. Reloads a frame that does not answer. Ignores a press during a request.
 */
async function pay(tab: CardTab): Promise<void> {
  const { context, connection } = tab;
  const { payment } = stateOf(context);
  if (tab.frame === 'silent') return reload(tab);
  if (tab.frame === 'loading') return update(tab, { trouble: stringsOf(context).loading });
  if (tab.isAsking || !payment || !connection) return;
  update(tab, { isAsking: true, trouble: '' });
  await take(tab, connection.askForToken());
}

/** Pays with the token of the frame's reply, or shows why there is none. */
async function take(tab: CardTab, asked: TokenReply | Promise<TokenReply>): Promise<void> {
  const { context } = tab;
  // One of these views comes next. They are loaded now, because the connection may be lost during the request.
  void fetchView(context, 'challenge');
  void fetchView(context, 'outcome');
  const reply = await asked;
  if (reply.type === 'token') {
    tab.isAsking = false;
    await storeOf(context)?.confirm({ method: 'card', token: reply.token });
    update(tab, { wantsOtherCard: false });
    if (isAsked(stateOf(context))) await openBankPage(context);
    return;
  }
  update(tab, { isAsking: false, trouble: reply.type === 'error' ? troubleOf(context, reply) : '' });
  // Reading the payment detects a lost connection. The panel then shows it.
  if (reply.type === 'error') void storeOf(context)?.readPayment();
  if (reply.type === 'invalid') {
    const strings = stringsOf(context);
    const fields = reply.fields.map(({ field }) => strings.fields[field]).join(strings.and);
    announce(context, say(strings.check, { fields }));
  }
}
