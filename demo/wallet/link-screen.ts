import { isStellarAddress } from '../../src/core/stellar/strkey.ts';
import { h } from '../shop/dom.ts';
import { checkOrigin } from './link-origin.ts';
import { note, screenHead, skeleton } from './parts.ts';
import { reviewPayment } from './payment-review.ts';
import type { ScreenPlace } from './screen.ts';
import { LinkProblem, readSep7Link, type Sep7Link } from './sep7-link.ts';
import { reviewTransaction } from './transaction-review.ts';

/** What a payment link asks for, or an address to which somebody wants to pay. */
export function showLink(screen: ScreenPlace, text: string): void {
  const body = h('div', { class: 'stack' }, skeleton(5));
  screen.place.replaceChildren(screenHead('Pay'), body);
  if (isStellarAddress(text.trim())) {
    const asked = { to: text.trim(), asset: null, amount: null, memo: null, message: null, network: null } as const;
    reviewPayment({ ...screen, place: body }, asked, { state: 'unsigned' });
    return;
  }
  const link = linkIn(text, body);
  if (link !== null) void showChecked({ ...screen, place: body }, link);
}

function linkIn(text: string, body: HTMLElement): Sep7Link | null {
  try {
    return readSep7Link(text);
  } catch (error) {
    if (!(error instanceof LinkProblem)) throw error;
    body.replaceChildren(note('bad', 'This cannot be paid.', error.message), otherCode());
    return null;
  }
}

/** Nothing that a forged link says is shown: it was made to be believed. */
async function showChecked(screen: ScreenPlace, link: Sep7Link): Promise<void> {
  const origin = await checkOrigin(link);
  if (screen.signal.aborted) return;
  if (origin.state === 'forged') {
    const text = 'Whoever made this link says to be somebody else, or somebody changed it on the way. Do not pay it.';
    screen.place.replaceChildren(note('bad', 'This link is not what it says.', text), otherCode());
  } else if (link.kind === 'tx') {
    reviewTransaction(screen, link, origin);
  } else {
    const { destination: to, asset, amount, memo, message, networkPassphrase: network } = link;
    reviewPayment(screen, { to, asset, amount, memo, message, network }, origin);
  }
}

function otherCode(): HTMLElement {
  return h('a', { class: 'button quiet', href: '#pay' }, 'Scan another code');
}
