import { h } from '../shop/dom.ts';
import { confirmDraft } from './draft-confirmation.ts';
import type { LinkOrigin } from './link-origin.ts';
import { fact, note, skeleton } from './parts.ts';
import { originNote, signedBy } from './receiver-facts.ts';
import { problemNote } from './remedies.ts';
import type { ScreenPlace } from './screen.ts';
import type { TransactionLink } from './sep7-link.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';

/** Shows what a transaction that a link brings along would do; asks once, and signs and sends it. */
export function reviewTransaction(screen: ScreenPlace, link: TransactionLink, origin: LinkOrigin): void {
  const { place, wallet } = screen;
  if (link.publicKey !== null && link.publicKey !== wallet.key.address) {
    place.replaceChildren(note('bad', 'This is not for this wallet.', 'Another account is asked to sign it.'));
    return;
  }
  const rest = h('div', { class: 'stack' }, skeleton(3));
  const facts = h(
    'dl',
    { class: 'facts' },
    origin.state === 'verified' ? fact('Asked for by', signedBy(origin.domain)) : null,
    link.message === null ? null : fact('For', link.message),
  );
  const warned = originNote(origin);
  place.replaceChildren(h('p', { class: 'second' }, 'You are asked to sign'), ...(warned ? [warned] : []), facts, rest);
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
