import { h } from '../shop/dom.ts';
import { showHome } from './home-screen.ts';
import { movementList } from './movement-list.ts';
import { note } from './parts.ts';
import { showPay } from './pay-screen.ts';
import { showReceive } from './receive-screen.ts';
import type { Screen } from './screen.ts';
import { showShop } from './shop-screen.ts';
import { walletFrame } from './wallet-frame.ts';
import { KeyUnavailable, openWalletKey } from './wallet-key.ts';
import { createWallet, type Wallet } from './wallet-store.ts';

/** The screens by the part of the address after `#`; what follows `=` is given to them. */
const screens: Readonly<Record<string, Screen>> = { pay: showPay, receive: showReceive, shop: showShop };

const frame = walletFrame();
void openWalletKey().then(
  key => start(createWallet(key)),
  (error: unknown) => {
    if (!(error instanceof KeyUnavailable)) throw error;
    frame.screen.replaceChildren(h('h1', {}, 'There is no wallet here yet'), note('warn', 'No key.', error.message));
  },
);

function start(wallet: Wallet): void {
  let left = new AbortController();
  const show = () => {
    left.abort();
    left = new AbortController();
    const [name = '', ...rest] = location.hash.slice(1).split('=');
    const given = rest.length === 0 ? null : readable(rest.join('='));
    frame.mark(name);
    (screens[name] ?? showHome)({ place: frame.screen, wallet, given, signal: left.signal });
  };
  addEventListener('hashchange', show);
  show();
  wallet.follow(({ movements, account }) => {
    const empty = h('p', { class: 'third' }, 'Nothing has moved yet.');
    frame.activity.hidden = account?.exists !== true;
    frame.movements.replaceChildren(movements.length === 0 ? empty : movementList(movements));
  }, new AbortController().signal);
  void wallet.refresh();
}

/** The text as it was before it was put into the address. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
