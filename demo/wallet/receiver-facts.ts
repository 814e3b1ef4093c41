import { h, icon } from '../shop/dom.ts';
import type { LinkMemo } from '../wallet-wire.ts';
import type { LinkOrigin } from './link-origin.ts';
import { copyable, fact, note } from './parts.ts';
import { walletIcons } from './wallet-icons.ts';

/** Who is to be paid and for what, as far as it is known. */
export interface Receiver {
  readonly to: string;
  readonly message: string | null;
  readonly memo: LinkMemo | null;
}

/** Rows about who is paid. A domain stands here only when it signed the link. */
export function receiverFacts({ to, message, memo }: Receiver, origin: LinkOrigin): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    origin.state === 'verified' ? fact('Asked for by', signedBy(origin.domain)) : null,
    message === null ? null : fact('For', message),
    fact('To', copyable('the address', to)),
    memo === null ? null : fact('Memo', memo.value),
  );
}

/** The domain that signed a link. */
export function signedBy(domain: string): HTMLElement {
  return h('span', { class: 'verified' }, icon(walletIcons.shield), domain);
}

/** What is to be known about a link that nobody signed, or that could not be checked; null for one that was. */
export function originNote({ state }: LinkOrigin): HTMLElement | null {
  if (state !== 'unknown') return null;
  const text = 'The site that it names does not answer. Pay only if you know where the link comes from.';
  return note('warn', 'It could not be checked who asks.', text);
}
