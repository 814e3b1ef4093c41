import { h, icon } from '../shop/dom.ts';
import type { Gift, Holding, WalletAccount } from '../wallet-messages.ts';
import { amountText, codeOf, moneyText } from './amount-text.ts';
import { assetSign, button, copyable, note, rowText, skeleton, walletIcons, whileBusy } from './elements.ts';
import { claimBalance, takeGift } from './wallet-actions.ts';
import type { Screen, Wallet, WalletState } from './wallet-store.ts';

/** The home screen: balances, actions and the faucet. */
export const showHome: Screen = ({ place, wallet, signal }) => {
  const said = h('div', { class: 'said-place', 'aria-live': 'polite' });
  const body = h('div.stack');
  place.replaceChildren(
    h('h1', { class: 'hidden', tabindex: -1 }, 'Your wallet'),
    addressRow('your address', wallet.key.address),
    body,
    said,
  );
  const say = (notice: HTMLElement | null) => said.replaceChildren(...(notice ? [notice] : []));
  wallet.follow(state => body.replaceChildren(...content(state, wallet, say)), signal);
};

type Say = (notice: HTMLElement | null) => void;

/** The row with an account's address and a button that copies it. */
export function addressRow(label: string, address: string): HTMLElement {
  return h('p.own-address', h('span.third', 'Account'), copyable(label, address));
}

function content({ account, trouble }: WalletState, wallet: Wallet, say: Say): HTMLElement[] {
  const notice = trouble === null ? [] : [note('warn', 'The ledger cannot be asked.', trouble, again(wallet))];
  if (account === null) return trouble === null ? [skeleton(4)] : notice;
  if (!account.exists) return [...notice, welcome(account, wallet, say)];
  return [...notice, ...waiting(account, wallet, say), actions(), balances(account), faucet(account, wallet, say)];
}

function again(wallet: Wallet): HTMLElement {
  return button('text', 'Try again', () => void wallet.refresh());
}

function welcome({ gifts }: WalletAccount, wallet: Wallet, say: Say): HTMLElement {
  const [lumens] = gifts;
  const start = button('main', 'Get test money', () => lumens && void take(start, lumens, wallet, say));
  return h(
    'section.welcome',
    h('span', { class: 'welcome-mark', 'aria-hidden': 'true' }, icon(walletIcons.plus)),
    h('h2', 'This wallet is new'),
    h('p.second', 'It lives in this browser and holds test money only. The network’s faucet fills it.'),
    start,
  );
}

/** Claimable balances, with a button to claim each. */
function waiting({ claimableBalances }: WalletAccount, wallet: Wallet, say: Say): HTMLElement[] {
  return claimableBalances.map(claim => {
    const money = moneyText(claim.amount, claim.asset);
    const pressed = button('quiet', `Take ${money}`, () => {
      void whileBusy(pressed, async () => say(await claimBalance(wallet, claim)));
    });
    return note('plain', `${money} is set aside for you.`, 'It is yours once you take it.', pressed);
  });
}

function actions(): HTMLElement {
  return h(
    'div.actions',
    h('a', { class: 'button main', href: '#pay' }, icon(walletIcons.scan), 'Pay'),
    h('a', { class: 'button quiet', href: '#receive' }, icon(walletIcons.receive), 'Receive'),
  );
}

/** The list of an account's balances. */
export function balances({ holdings, reserve }: WalletAccount): HTMLElement {
  return h(
    'section',
    { 'aria-label': 'Balances' },
    h('ul.holdings', ...holdings.map(holding => balance(holding, reserve))),
  );
}

function balance({ asset, balance: amount, name }: Holding, reserve: string): HTMLElement {
  const line =
    asset === 'XLM' ? `${moneyText(reserve, 'XLM')} of it stays for the network` : 'Issued on the test network';
  return h(
    'li.row.holding',
    assetSign(asset),
    ...rowText(
      name ?? codeOf(asset),
      h('span.row-amount.figure', amountText(amount), ' ', h('span.third', codeOf(asset))),
      name === null ? 'Not an asset that this wallet knows' : line,
    ),
  );
}

function faucet({ gifts, holdings }: WalletAccount, wallet: Wallet, say: Say): HTMLElement {
  const held = new Set(holdings.map(({ asset }) => asset));
  const offers = gifts.map(gift => {
    const another = held.has(gift.asset) ? 'another ' : '';
    const pressed = button('quiet', [assetSign(gift.asset), moneyText(gift.amount, gift.asset)], () => {
      void take(pressed, gift, wallet, say);
    });
    pressed.setAttribute(
      'aria-label',
      `Get ${another}${moneyText(gift.amount, gift.asset)}, ${gift.name.toLowerCase()}`,
    );
    return h('li', pressed);
  });
  return h('section.faucet', h('h2.ruled', 'Test money'), h('ul.chips', ...offers));
}

async function take(pressed: HTMLButtonElement, gift: Gift, wallet: Wallet, say: Say): Promise<void> {
  say(note('plain', 'On its way.', 'The faucet takes a few seconds.'));
  await whileBusy(pressed, async () => say(await takeGift(wallet, gift)));
}
