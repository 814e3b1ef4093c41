import { systemClock } from '../../src/core/clock.ts';
import { h, icon } from '../shop/dom.ts';
import type { Draft, ProblemCode, WalletProblem } from '../wallet-messages.ts';
import { amountText, codeOf, moneyText } from './amount-text.ts';
import { button, copyable, fact, note, walletIcons, whileBusy } from './elements.ts';
import { addAsset, carryOut, type Outcome } from './wallet-actions.ts';
import { WalletApiError } from './wallet-api.ts';
import type { Wallet } from './wallet-store.ts';

/** A draft to confirm, and the texts for it. */
interface Confirmation {
  readonly wallet: Wallet;
  readonly draft: Draft;
  readonly label: string;
  readonly title: string;
  readonly done: string;
  /** Starts again with a new price and draft. */
  readonly again: () => void;
  /** The payer's choices. The progress of the payment replaces them. */
  readonly rest: HTMLElement;
  /** The whole screen. The result replaces it. */
  readonly body: HTMLElement;
}

/** A draft that expires within this time would miss its ledger, in milliseconds. */
const tooLateMs = 15_000;

/** Shows what will be signed, with the button that signs and sends it. */
export function confirmDraft(confirmation: Confirmation): HTMLElement {
  const { draft, label, again } = confirmation;
  const place = h('div.stack');
  const confirm = button('main', label, () => {
    if (endsSoon(draft)) again();
    else void send(confirmation);
  });
  place.append(
    h(
      'section',
      { 'aria-label': 'What you sign' },
      h('ul.draft-steps', ...stepsOf(draft).map(step => h('li', step))),
      h('p.third.small', `Fee of the network: at most ${moneyText(draft.fee, 'XLM')}.`),
    ),
    confirm,
    h('a', { class: 'button text', href: '#' }, 'Cancel'),
  );
  return place;
}

function stepsOf({ steps, memo }: Draft): readonly string[] {
  return memo === null ? steps : [...steps, `With the memo “${memo}”`];
}

function endsSoon({ expiresAt }: Draft): boolean {
  return expiresAt !== null && Date.parse(expiresAt) - systemClock.now().getTime() < tooLateMs;
}

async function send(confirmation: Confirmation): Promise<void> {
  const { wallet, draft, again, rest } = confirmation;
  rest.replaceChildren(progress(1, 'Signed. Handing it to the network.'));
  try {
    const outcome = await carryOut(wallet.key, draft, () => {
      rest.replaceChildren(progress(2, 'The network has it. The next ledger is a few seconds away.'));
    });
    await wallet.refresh();
    if (outcome.state === 'failed') rest.replaceChildren(problemNote(wallet, outcome.problem, null, again));
    else success(confirmation, outcome);
  } catch (error) {
    if (!(error instanceof WalletApiError)) throw error;
    rest.replaceChildren(problemNote(wallet, error, null, again));
  }
}

/** Three bars: signed, submitted, in a ledger. */
function progress(reached: number, sentence: string): HTMLElement {
  const bars = [1, 2, 3].map(bar => h('span', { class: bar <= reached ? 'bar reached' : 'bar' }));
  return h(
    'div',
    { class: 'progress', role: 'status' },
    h('span', { class: 'bars', 'aria-hidden': 'true' }, ...bars),
    sentence,
  );
}

function success({ title, done, body }: Confirmation, { ledger, hash }: Extract<Outcome, { state: 'applied' }>): void {
  const heading = h('h2', { tabindex: -1 }, title);
  body.replaceChildren(
    h(
      'section.success',
      h('span.verdict.good', icon(walletIcons.done)),
      heading,
      h('p.second', done),
      h('dl.facts', fact('Ledger', amountText(String(ledger))), fact('Transaction', copyable('the transaction', hash))),
      h('a', { class: 'button main', href: '#' }, 'Back to the wallet'),
    ),
  );
  heading.focus();
}

/** What the user can do about a problem. */
type Remedy = 'get_money' | 'add_asset' | 'look_again' | 'another_code';

const remedies: Readonly<Record<ProblemCode, Remedy>> = {
  no_network: 'look_again',
  account_missing: 'get_money',
  underfunded: 'get_money',
  asset_missing: 'add_asset',
  receiver_missing: 'another_code',
  receiver_asset_missing: 'another_code',
  memo_required: 'another_code',
  no_path: 'add_asset',
  price_moved: 'look_again',
  expired: 'look_again',
  out_of_turn: 'look_again',
  wrong_network: 'another_code',
  unreadable: 'another_code',
  refused: 'look_again',
};

/** A problem with a button for its remedy. `asset` is the asset to pay, if known. `again` retries. */
export function problemNote(
  wallet: Wallet,
  { code, message }: WalletProblem,
  asset: string | null,
  again: () => void,
): HTMLElement {
  const panel = note('bad', 'Not paid.', message);
  panel.append(way(wallet, remedies[code], asset, again, panel));
  return panel;
}

function way(wallet: Wallet, remedy: Remedy, asset: string | null, again: () => void, panel: HTMLElement): HTMLElement {
  if (remedy === 'get_money') return button('quiet', 'Get test money', () => location.assign('#'));
  if (remedy === 'another_code') return button('quiet', 'Scan another code', () => location.assign('#pay'));
  const isMissing = wallet.state().account?.holdings.every(holding => holding.asset !== asset) ?? false;
  if (remedy === 'look_again' || asset === null || !isMissing) return button('quiet', 'Look again', again);
  const add = button('quiet', `Add ${codeOf(asset)} to this wallet`, () =>
    whileBusy(add, async () => {
      panel.append(await addAsset(wallet, asset));
      again();
    }),
  );
  return add;
}
