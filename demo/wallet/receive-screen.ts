import { h } from '../shop/dom.ts';
import { copyable, note, screenHead } from './parts.ts';
import { qrPicture } from './qr-picture.ts';
import type { Screen } from './screen.ts';

/** The wallet's address, to be scanned or copied. */
export const showReceive: Screen = ({ place, wallet, signal }) => {
  const { address } = wallet.key;
  const code = h('div', { class: 'qr-place' });
  const hint = h('div', {});
  place.replaceChildren(
    screenHead('Receive'),
    h('p', { class: 'second' }, 'Money for this wallet goes to this address.'),
    code,
    h('p', { class: 'whole-address' }, copyable('your address', address, address)),
    hint,
  );
  void qrPicture(address, 'Your address as a QR code').then(picture => signal.aborted || code.replaceChildren(picture));
  wallet.follow(({ account }) => {
    const isNew = account?.exists === false;
    const held = account?.holdings.map(({ name, asset }) => name ?? asset).join(', ') ?? '';
    hint.replaceChildren(
      isNew
        ? note('warn', 'Only XLM can arrive yet.', 'The first of it opens the account; other assets come after that.')
        : note('plain', 'It can hold:', `${held}. Another asset has to be added first, under “Test money”.`),
    );
  }, signal);
};
