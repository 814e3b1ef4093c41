import { h } from '../shop/dom.ts';
import type { ShopTakings } from '../wallet-messages.ts';
import { button, note, screenHead, skeleton } from './elements.ts';
import { addressRow, balances } from './home-screen.ts';
import { movementList } from './movement-list.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import { followAccount, type Screen } from './wallet-store.ts';

/** The shop screen: balances and payments of the shop's settlement account. */
export const showShop: Screen = ({ place, signal }) => {
  const body = h('div.stack', skeleton(5));
  place.replaceChildren(screenHead('The shop’s takings'), body);
  let followed: string | null = null;
  const look = async () => {
    try {
      const takings = await walletApi.takings();
      if (signal.aborted) return;
      body.replaceChildren(...content(takings, look));
      const address = takings.account?.exists ? takings.account.address : null;
      if (address !== null && followed === null) followAccount(address, () => void look(), signal);
      followed ??= address;
    } catch (error) {
      if (!(error instanceof WalletApiError)) throw error;
      body.replaceChildren(note('warn', 'The shop cannot be asked.', error.message), button('text', 'Try again', look));
    }
  };
  void look();
};

function content({ name, account, movements }: ShopTakings, look: () => void): HTMLElement[] {
  if (account === null || !account.exists) {
    const text = `${name} opens an account on the network when its first visitor comes.`;
    return [note('plain', 'There is no account yet.', text), button('text', 'Look again', look)];
  }
  return [
    h('p.second', `Whatever a payer pays with, ${name} receives what it asked for, here.`),
    addressRow('the shop’s address', account.address),
    balances({ ...account, holdings: account.holdings.filter(({ balance }) => Number(balance) > 0) }),
    h('h2.ruled', 'What has arrived'),
    movements.length === 0 ? note('plain', 'Nothing yet.', 'Pay an order in the shop.') : movementList(movements),
  ];
}
