import { h } from '../shop/dom.ts';

/** What every screen of the wallet has round it. */
export interface WalletFrame {
  /** Where the screen goes. */
  readonly screen: HTMLElement;
  /** The history beside it, hidden as long as there is none, and the place of its list. */
  readonly activity: HTMLElement;
  readonly movements: HTMLElement;
  /** Says which screen is shown. */
  mark(screen: string): void;
}

const iconUrl = new URL('../pictures/wallet.svg', import.meta.url).href;

/** Builds the page: its head, the card with the screen, and beside it what moved. */
export function walletFrame(): WalletFrame {
  const screen = h('main', { class: 'card screen', id: 'screen', tabindex: -1 });
  const movements = h('div', {});
  const activity = h(
    'section',
    { class: 'card activity', 'aria-label': 'Activity', hidden: true },
    h('h2', {}, 'Activity'),
    movements,
  );
  const links = [
    { name: '', link: h('a', { href: '#' }, 'Wallet') },
    { name: 'shop', link: h('a', { href: '#shop' }, 'Shop') },
  ];
  const columns = h('div', { class: 'columns' }, screen, activity);
  document.body.append(skipLink(screen), header(links.map(({ link }) => link)), columns, footer());
  return {
    ...{ screen, activity, movements },
    mark(name) {
      columns.dataset['screen'] = name === '' ? 'home' : name;
      for (const { name: own, link } of links) {
        if ((own === 'shop') === (name === 'shop')) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
    },
  };
}

/** The part after `#` names screens here, so the link moves the focus by itself. */
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
    'header',
    { class: 'header' },
    h(
      'a',
      { class: 'brand', href: '#' },
      h('img', { src: iconUrl, alt: '', width: 36, height: 36 }),
      h('span', {}, 'Pocket', h('span', { class: 'second network' }, 'Test network')),
    ),
    h('nav', { class: 'switch', 'aria-label': 'Whose account' }, ...links),
  );
}

function footer(): HTMLElement {
  return h(
    'footer',
    { class: 'footer second' },
    h(
      'p',
      {},
      'A wallet for trying things out. Its key is made in this browser and never leaves it; its money is worth nothing.',
    ),
    h('a', { href: '/demo/' }, 'To the shop'),
  );
}
