import { h, icon } from '../shop/dom.ts';
import type { LinkMemo } from '../wallet-messages.ts';
import { confirmDraft, problemNote } from './confirmation.ts';
import { copyable, fact, note, skeleton, walletIcons } from './elements.ts';
import type { LinkOrigin, TransactionLink } from './sep7-link.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { ScreenPlace } from './wallet-store.ts';

/** Shows what a linked transaction does, asks for confirmation, signs it and sends it. */
export function reviewTransaction(screen: ScreenPlace, link: TransactionLink, origin: LinkOrigin): void {
  const { place, wallet } = screen;
  if (link.publicKey !== null && link.publicKey !== wallet.key.address) {
    place.replaceChildren(note('bad', 'This is not for this wallet.', 'Another account is asked to sign it.'));
    return;
  }
  const rest = h('div.stack', skeleton(3));
  const facts = h(
    'dl.facts',
    origin.state === 'verified' ? fact('Asked for by', signedBy(origin.domain)) : null,
    link.message === null ? null : fact('For', link.message),
  );
  const warned = originNote(origin);
  place.replaceChildren(h('p.second', 'You are asked to sign'), ...(warned ? [warned] : []), facts, rest);
  void offer(screen, rest, link);
}

async function offer(screen: ScreenPlace, rest: HTMLElement, link: TransactionLink): Promise<void> {
  const { wallet, signal } = screen;
  const again = () => void offer(screen, rest, link);
  try {
    const { xdr, replace, networkPassphrase } = link;
    const draft = await walletApi.draft({
      kind: 'envelope',
      from: wallet.key.address,
      link: { xdr, replace, networkPassphrase },
    });
    if (signal.aborted) return;
    const done = 'The ledger has it.';
    rest.replaceChildren(
      confirmDraft({ wallet, draft, label: 'Sign and send', title: 'Done', done, again, rest, body: screen.place }),
    );
  } catch (error) {
    if (!(error instanceof WalletApiError)) throw error;
    rest.replaceChildren(problemNote(wallet, error, null, again));
  }
}

/** The receiver of a payment. */
interface Receiver {
  readonly to: string;
  readonly message: string | null;
  readonly memo: LinkMemo | null;
}

/** Rows about the receiver. They name a domain only if the domain signed the link. */
export function receiverFacts({ to, message, memo }: Receiver, origin: LinkOrigin): HTMLElement {
  return h(
    'dl.facts',
    origin.state === 'verified' ? fact('Asked for by', signedBy(origin.domain)) : null,
    message === null ? null : fact('For', message),
    fact('To', copyable('the address', to)),
    memo === null ? null : fact('Memo', memo.value),
  );
}

/** The domain that signed a link. */
function signedBy(domain: string): HTMLElement {
  return h('span.verified', icon(walletIcons.shield), domain);
}

/** A warning when the link's origin could not be checked, otherwise null. */
export function originNote({ state }: LinkOrigin): HTMLElement | null {
  if (state !== 'unknown') return null;
  const text = 'The site that it names does not answer. Pay only if you know where the link comes from.';
  return note('warn', 'It could not be checked who asks.', text);
}
