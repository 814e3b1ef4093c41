import { h } from '../shop/dom.ts';
import { note } from './elements.ts';
import { showHome } from './home-screen.ts';
import { movementList } from './movement-list.ts';
import { showPay } from './pay-screen.ts';
import { showReceive } from './receive-screen.ts';
import { showShop } from './shop-screen.ts';
import { KeyUnavailable, openWalletKey } from './wallet-key.ts';
import { createWallet, type Screen, type Wallet } from './wallet-store.ts';

/** Screens by their name, which follows `#` in the address. A screen receives the text after `=`. */
const screens: Readonly<Record<string, Screen>> = { pay: showPay, receive: showReceive, shop: showShop };

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
    const empty = h('p.third', 'Nothing has moved yet.');
    frame.activity.hidden = account?.exists !== true;
    frame.movements.replaceChildren(movements.length === 0 ? empty : movementList(movements));
  }, new AbortController().signal);
  void wallet.refresh();
}

/** Decodes a text of the address. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The frame around every screen. */
interface WalletFrame {
  /** Element that the screen fills. */
  readonly screen: HTMLElement;
  /** The column with the history, hidden until the account exists. `movements` holds its list. */
  readonly activity: HTMLElement;
  readonly movements: HTMLElement;
  /** Marks the current screen. */
  mark(screen: string): void;
}

const iconUrl = new URL('../pictures/wallet.svg', import.meta.url).href;

/** Builds the page: header, screen and history. */
function walletFrame(): WalletFrame {
  const screen = h('main', { class: 'card screen', id: 'screen', tabindex: -1 });
  const movements = h('div');
  const activity = h(
    'section',
    { class: 'card activity', 'aria-label': 'Activity', hidden: true },
    h('h2', 'Activity'),
    movements,
  );
  const links = [
    { name: '', link: h('a', { href: '#' }, 'Wallet') },
    { name: 'shop', link: h('a', { href: '#shop' }, 'Shop') },
  ];
  const columns = h('div.columns', screen, activity);
  document.body.append(skipLink(screen), header(links.map(({ link }) => link)), columns, footer());
  return {
    screen,
    activity,
    movements,
    mark(name) {
      columns.dataset['screen'] = name === '' ? 'home' : name;
      for (const { name: own, link } of links) {
        if ((own === 'shop') === (name === 'shop')) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
    },
  };
}

/** The part after `#` names a screen, so the link must move the focus in code. */
function skipLink(screen: HTMLElement): HTMLElement {
  const link = h('a', { class: 'skip', href: '#screen' }, 'Skip to the content');
  link.addEventListener('click', event => {
    event.preventDefault();
    screen.focus();
  });
  return link;
}

function header(links: readonly HTMLElement[]): HTMLElement {
  return h(
    'header.header',
    h(
      'a',
      { class: 'brand', href: '#' },
      h('img', { src: iconUrl, alt: '', width: 36, height: 36 }),
      h('span', 'Pocket', h('span.second.network', 'Test network')),
    ),
    h('nav', { class: 'switch', 'aria-label': 'Whose account' }, ...links),
  );
}

function footer(): HTMLElement {
  return h(
    'footer.footer.second',
    h(
      'p',
      'A wallet for trying things out. Its key is made in this browser and never leaves it; its money is worth nothing.',
    ),
    h('a', { href: '/demo/' }, 'To the shop'),
  );
}

const frame = walletFrame();
void openWalletKey().then(
  key => start(createWallet(key)),
  (error: unknown) => {
    if (!(error instanceof KeyUnavailable)) throw error;
    frame.screen.replaceChildren(h('h1', 'There is no wallet here yet'), note('warn', 'No key.', error.message));
  },
);
