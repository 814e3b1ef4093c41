import { h } from '../shop/dom.ts';
import type { LinkMemo, PaymentWish, PayWay } from '../wallet-wire.ts';
import { amountForm } from './amount-form.ts';
import { amountText, codeOf, moneyText } from './amount-text.ts';
import { confirmDraft } from './draft-confirmation.ts';
import type { LinkOrigin } from './link-origin.ts';
import { skeleton } from './parts.ts';
import { firstPayable, wayChoice } from './pay-way-choice.ts';
import { originNote, receiverFacts } from './receiver-facts.ts';
import { problemNote } from './remedies.ts';
import type { ScreenPlace } from './screen.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';

/** What somebody is asked to pay; null is what the payer is to say. */
export interface AskedPayment {
  readonly to: string;
  readonly asset: string | null;
  readonly amount: string | null;
  readonly memo: LinkMemo | null;
  readonly message: string | null;
  /** Passphrase of the network that the link is for; null where no link says. */
  readonly network: string | null;
}

/** Shows what is to be paid, to whom, and with what; asks once, and pays. */
export function reviewPayment(screen: ScreenPlace, asked: AskedPayment, origin: LinkOrigin): void {
  const rest = h('div', { class: 'stack' });
  const show = (wish: PaymentWish) => {
    const amount = h('p', { class: 'large figure' }, amountText(wish.amount), ' ', h('small', {}, codeOf(wish.asset)));
    const head = [h('p', { class: 'second' }, 'You are asked to pay'), amount];
    const note = originNote(origin);
    screen.place.replaceChildren(h('div', {}, ...head), ...(note ? [note] : []), receiverFacts(asked, origin), rest);
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
    const confirmation = h('div', { class: 'stack' });
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

/** Each choice supersedes the one before, also where its answer comes later. */
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
