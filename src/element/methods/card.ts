import { css, html, nothing, type TemplateResult } from 'lit';
import type { CheckoutState } from '../checkout-store.ts';
import { announce, type Desk, dispatch, localeOf, rootOf, stateOf } from '../desk.ts';
import { remember } from '../memory.ts';
import { moneyText } from '../money-text.ts';
import { note, plainButton, problemText, report } from '../parts/furniture.ts';
import { formBones } from '../parts/skeleton.ts';
import { say } from '../strings/en.ts';
import { cardStrings } from '../strings/en-card.ts';
import { fetchView, renderView, type View, viewOf } from '../view-rack.ts';
import { type CardFrameLine, openCardFrame, readAppearance, type TokenReply, webUrl } from './card-frame-line.ts';

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
    border-color: var(--line) var(--ink2) var(--ink3) var(--accent-text);
    border-radius: var(--pay-radius-field, 10px);
    outline: 0 solid var(--bad);
    background: var(--field);
    color: var(--ink);
    font-size: calc(1em / 0.9375);
  }
`;

const stringsOf = ({ strings }: Desk) => strings.parts?.card ?? cardStrings;

interface CardTab {
  readonly desk: Desk;
  line: CardFrameLine | undefined;
  frame: 'loading' | 'ready' | 'silent';
  /** The frame has been asked for a token. */
  isAsking: boolean;
  /** What the frame said when it could not make one. */
  trouble: string;
  /** The payer would rather not go on with the bank's question. */
  wantsOtherCard: boolean;
  /** Last look and lock that the frame was told of. */
  told: string;
}

/** The card tab: the frame that holds the fields, and the bank's own page when the bank asks for it. */
export function createView(desk: Desk): View {
  const tab: CardTab = {
    desk,
    line: undefined,
    frame: 'loading',
    isAsking: false,
    trouble: '',
    wantsOtherCard: false,
    told: '',
  };
  return {
    render(state) {
      void desk.element.updateComplete.then(() => settle(tab));
      return render(tab, state);
    },
    action(state) {
      const strings = stringsOf(desk);
      if (isChallenged(tab, state)) return strings.challengeAction;
      const { amount, currency } = state.options?.card ?? {};
      return amount && currency ? say(strings.pay, { amount: moneyText(amount, currency, localeOf(desk)) }) : null;
    },
    below: state =>
      isChallenged(tab, state) ? plainButton(stringsOf(desk).otherCard, () => takeOtherCard(tab)) : nothing,
    isBusy: () => tab.isAsking,
    async confirm() {
      if (isChallenged(tab, stateOf(desk))) await openBankPage(desk);
      else await pay(tab);
    },
    dispose() {
      tab.line?.close();
      viewOf(desk, 'challenge')?.dispose?.();
    },
  };
}

function update(tab: CardTab, change: Partial<CardTab>): void {
  Object.assign(tab, change);
  tab.desk.element.requestUpdate();
}

/** The fields of the one before are let go. */
function takeOtherCard(tab: CardTab): void {
  update(tab, { wantsOtherCard: true });
  reload(tab);
}

/** The bank wants to hear from the payer. */
const isAsked = ({ payment }: CheckoutState) => payment?.next_action?.type === 'redirect';

async function openBankPage(desk: Desk): Promise<void> {
  await fetchView(desk, 'challenge');
  await viewOf(desk, 'challenge')?.confirm?.();
}

/** The bank is to be heard, and the payer has not turned to another card. */
function isChallenged({ wantsOtherCard, isAsking }: CardTab, { payment, busy }: CheckoutState): boolean {
  return payment?.phase === 'requires_action' && !wantsOtherCard && !isAsking && busy !== 'confirm';
}

function render(tab: CardTab, state: CheckoutState): TemplateResult {
  const { desk } = tab;
  const strings = stringsOf(desk);
  const challenged = isChallenged(tab, state);
  const silent = tab.frame === 'silent';
  const setback = challenged ? '' : setbackOf(tab, state);
  return html`<span class="probe"></span>
    ${challenged ? note(strings.challenge) : nothing}
    ${silent ? [note(strings.frameFailed, 'bad', 'alert'), plainButton(strings.again, () => reload(tab))] : nothing}
    ${setback ? note(setback, 'bad', 'alert') : nothing}
    <div class="fields" ?hidden=${challenged || silent}>
      ${tab.frame === 'ready' ? nothing : formBones()}<slot name="card"></slot>
    </div>
    ${isAsked(state) || viewOf(desk, 'challenge') ? renderView(desk, 'challenge') : nothing}`;
}

/** What the last press came to, where it was nothing. While the line is lost the page says that. */
function setbackOf({ desk, trouble }: CardTab, { up, problem }: CheckoutState): string {
  if (!up) return '';
  return problem?.status === 0 || problem?.code === 'quote_expired' ? stringsOf(desk).unsent : trouble;
}

/** Keeps the frame in step with the page: its look, and whether anything may be typed. */
function settle(tab: CardTab): void {
  const { desk, line, isAsking } = tab;
  const state = stateOf(desk);
  if (!line) open(tab, state);
  if (!line || tab.frame !== 'ready') return;
  const appearance = readAppearance(rootOf(desk));
  const value = isAsking || state.busy === 'confirm';
  const told = JSON.stringify([appearance, value]);
  if (told === tab.told) return;
  tab.told = told;
  line.send({ type: 'appearance', appearance });
  line.send({ type: 'disable', value });
}

function open(tab: CardTab, { options }: CheckoutState): void {
  const { desk } = tab;
  const url = webUrl(options?.card?.frame_url);
  if (!url) return;
  tab.line = openCardFrame(desk.element, {
    url,
    title: stringsOf(desk).frameTitle,
    hello: () => ({
      appearance: readAppearance(rootOf(desk)),
      locale: desk.strings.lang,
      dir: desk.strings.dir ?? (getComputedStyle(desk.element).direction === 'rtl' ? 'rtl' : 'ltr'),
      brands: options?.card?.brands ?? [],
      strings: desk.strings.parts?.cardFrame ?? null,
    }),
    onReady: () => update(tab, { frame: 'ready', told: '', trouble: '' }),
    onSubmit: () => desk.element.confirm(),
    onSilence() {
      report(desk, { code: 'card_frame_unreachable', message: `The card frame at ${url.origin} did not answer.` });
      update(tab, { frame: 'silent', trouble: '' });
    },
  });
}

function reload(tab: CardTab): void {
  tab.line?.close();
  update(tab, { line: undefined, frame: 'loading', trouble: '' });
}

const troubleOf = (desk: Desk, reply: TokenReply & { type: 'error' }) =>
  reply.code === 'offline'
    ? stringsOf(desk).unsent
    : reply.message
      ? problemText(desk, reply)
      : stringsOf(desk).frameSilent;

/** Turns the card into a token, and pays with it. A second press meanwhile does nothing. */
async function pay(tab: CardTab): Promise<void> {
  const { desk, line } = tab;
  const { payment } = stateOf(desk);
  if (tab.frame === 'silent') return reload(tab);
  if (tab.frame === 'loading') return update(tab, { trouble: stringsOf(desk).loading });
  if (tab.isAsking || !payment || !line) return;
  update(tab, { isAsking: true, trouble: '' });
  // Should the bank want to hear from the payer, nobody has to wait for it; and a lost line must not hide the result.
  void fetchView(desk, 'challenge');
  void fetchView(desk, 'outcome');
  const reply = await line.askForToken();
  if (reply.type === 'token') {
    remember('sessionStorage', `card:${payment.id}`, `${reply.brand} ${reply.last4}`);
    tab.isAsking = false;
    await dispatch(desk, { type: 'confirm', body: { method: 'card', token: reply.token } });
    update(tab, { wantsOtherCard: false });
    if (isAsked(stateOf(desk))) await openBankPage(desk);
    return;
  }
  update(tab, { isAsking: false, trouble: reply.type === 'error' ? troubleOf(desk, reply) : '' });
  // Where it is the line, the page says so itself, and takes it back.
  if (reply.type === 'error') void dispatch(desk, { type: 'check' });
  if (reply.type === 'invalid') {
    const strings = stringsOf(desk);
    const fields = reply.fields.map(({ field }) => strings.fields[field]).join(strings.and);
    announce(desk, say(strings.check, { fields }));
  }
}
