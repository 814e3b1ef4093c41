import { parseUnits } from '../../src/core/money.ts';
import { stellarDecimals } from '../../src/core/stellar/stellar-amount.ts';
import { h } from '../shop/dom.ts';
import type { LinkMemo, PaymentWish, PayWay } from '../wallet-messages.ts';
import { amountText, codeOf, moneyText } from './amount-text.ts';
import { confirmDraft, problemNote } from './confirmation.ts';
import { assetSign, rowText, skeleton } from './elements.ts';
import { isAmount, type LinkOrigin } from './sep7-link.ts';
import { originNote, receiverFacts } from './transaction-review.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { ScreenPlace, Wallet } from './wallet-store.ts';

/** A requested payment. If `asset` or `amount` is null, the payer enters the value. */
interface AskedPayment {
  readonly to: string;
  readonly asset: string | null;
  readonly amount: string | null;
  readonly memo: LinkMemo | null;
  readonly message: string | null;
  /** Passphrase of the link's network; null without a link. */
  readonly network: string | null;
}

/** Shows a requested payment and the ways to pay it, asks for confirmation, and pays. */
export function reviewPayment(screen: ScreenPlace, asked: AskedPayment, origin: LinkOrigin): void {
  const rest = h('div.stack');
  const show = (wish: PaymentWish) => {
    const amount = h('p.large.figure', amountText(wish.amount), ' ', h('small', codeOf(wish.asset)));
    const head = [h('p.second', 'You are asked to pay'), amount];
    const note = originNote(origin);
    screen.place.replaceChildren(h('div', ...head), ...(note ? [note] : []), receiverFacts(asked, origin), rest);
    void offerWays(screen, rest, wish, asked.network);
  };
  const { to, asset, amount, memo } = asked;
  if (asset !== null && amount !== null) show({ to, asset, amount, memo });
  else {
    const form = amountForm(screen.wallet, asset, said => show({ to, memo, ...said }));
    screen.place.replaceChildren(receiverFacts(asked, origin), form);
  }
}

async function offerWays(
  screen: ScreenPlace,
  rest: HTMLElement,
  wish: PaymentWish,
  network: string | null,
): Promise<void> {
  rest.replaceChildren(skeleton(3));
  const again = () => void offerWays(screen, rest, wish, network);
  try {
    const { ways } = await walletApi.ways(screen.wallet.key.address, wish, network);
    if (screen.signal.aborted) return;
    if (ways.length === 0) {
      const message = `Nothing in this wallet can be exchanged for ${codeOf(wish.asset)} right now.`;
      rest.replaceChildren(problemNote(screen.wallet, { code: 'no_path', message }, wish.asset, again));
      return;
    }
    const confirmation = h('div.stack');
    const choose = (way: PayWay) => void offerDraft(screen, { rest, place: confirmation }, wish, way, again);
    rest.replaceChildren(wayChoice(ways, wish.asset, choose), confirmation);
    const first = firstPayable(ways);
    if (first !== null) choose(first);
    else {
      const message = `There is not enough in this wallet to pay ${moneyText(wish.amount, wish.asset)}.`;
      rest.append(problemNote(screen.wallet, { code: 'underfunded', message }, wish.asset, again));
    }
  } catch (error) {
    if (!(error instanceof WalletApiError)) throw error;
    rest.replaceChildren(problemNote(screen.wallet, error, wish.asset, again));
  }
}

/** Only the newest choice counts, even when the answer to an earlier choice arrives later. */
async function offerDraft(
  screen: ScreenPlace,
  { rest, place }: { readonly rest: HTMLElement; readonly place: HTMLElement },
  wish: PaymentWish,
  way: PayWay,
  again: () => void,
): Promise<void> {
  const { wallet } = screen;
  const mine = skeleton(2);
  place.replaceChildren(mine);
  const isCurrent = () => mine.parentElement === place && !screen.signal.aborted;
  try {
    const draft = await walletApi.draft({ kind: 'payment', from: wallet.key.address, wish, way });
    if (!isCurrent()) return;
    const price =
      way.amount === way.atMost ? moneyText(way.amount, way.asset) : `about ${moneyText(way.amount, way.asset)}`;
    const done = `${moneyText(wish.amount, wish.asset)} arrived.`;
    place.replaceChildren(
      confirmDraft({ wallet, draft, label: `Pay ${price}`, title: 'Paid', done, again, rest, body: screen.place }),
    );
  } catch (error) {
    if (!(error instanceof WalletApiError)) throw error;
    if (isCurrent()) place.replaceChildren(problemNote(wallet, error, wish.asset, again));
  }
}

const stroops = (amount: string) => parseUnits(amount, stellarDecimals) ?? 0n;

/** Whether the balance covers the largest amount. */
function isPayable({ atMost, spendable }: PayWay): boolean {
  return stroops(atMost) <= stroops(spendable);
}

/** The first way that the balance covers, or null. */
function firstPayable(ways: readonly PayWay[]): PayWay | null {
  return ways.find(isPayable) ?? null;
}

/** Radio buttons for the ways to pay. The first payable way is checked. */
function wayChoice(ways: readonly PayWay[], asset: string, onChoose: (way: PayWay) => void): HTMLElement {
  const first = firstPayable(ways);
  return h(
    'fieldset.pay-ways',
    h('legend', 'Pay with'),
    ...ways.map((way, at) => {
      const isFine = isPayable(way);
      const input = h('input', {
        type: 'radio',
        name: 'way',
        id: `way-${at}`,
        checked: way === first,
        disabled: !isFine,
        onchange: () => onChoose(way),
      });
      const price = h('span.row-amount.figure', moneyText(way.amount, way.asset));
      const words = rowText(codeOf(way.asset), price, line(way, asset));
      return h('label', { class: 'row pay-way', for: input.id }, input, assetSign(way.asset), ...words);
    }),
  );
}

function line(way: PayWay, asset: string): string {
  if (!isPayable(way)) return `Not enough: ${moneyText(way.spendable, way.asset)} can be spent`;
  if (way.asset === asset) return 'Sent as it is';
  const path = [way.asset, ...way.path, asset].map(codeOf).join(' → ');
  return `${path}, at most ${moneyText(way.atMost, way.asset)}`;
}

/** Asks for the amount. Without an asset, also asks for the asset. */
function amountForm(
  wallet: Wallet,
  asset: string | null,
  onSaid: (said: { readonly asset: string; readonly amount: string }) => void,
): HTMLElement {
  const amount = h('input', {
    id: 'amount',
    name: 'amount',
    required: true,
    inputmode: 'decimal',
    autocomplete: 'off',
    placeholder: '0.00',
    'aria-describedby': 'amount-wrong',
  });
  const wrong = h('p', { class: 'wrong', id: 'amount-wrong', role: 'alert' });
  const held = asset === null ? (wallet.state().account?.holdings.map(holding => holding.asset) ?? ['XLM']) : [asset];
  const choice = h(
    'select',
    { id: 'asset', name: 'asset' },
    ...held.map(name => h('option', { value: name }, codeOf(name))),
  );
  const form = h(
    'form',
    { class: 'field', novalidate: true },
    h('label', { for: 'amount' }, 'How much?'),
    h('span.field-line', amount, h('label', { for: 'asset', class: 'hidden' }, 'Of what?'), choice),
    wrong,
    h('button', { type: 'submit', class: 'button main' }, 'Continue'),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    const text = amount.value.trim();
    const isFine = isAmount(text);
    wrong.textContent = isFine ? '' : 'Write a number such as 12.50, with at most seven decimals.';
    amount.setAttribute('aria-invalid', String(!isFine));
    if (isFine) onSaid({ asset: choice.value, amount: text });
    else amount.focus();
  });
  return form;
}
