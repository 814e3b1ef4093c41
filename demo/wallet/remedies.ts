import type { ProblemCode, WalletProblem } from '../wallet-wire.ts';
import { codeOf } from './amount-text.ts';
import { addAsset } from './gifts.ts';
import { button, note, whileBusy } from './parts.ts';
import type { Wallet } from './wallet-store.ts';

/** What a person can do about a problem. */
type Remedy = 'get_money' | 'add_asset' | 'look_again' | 'another_code';

const remedies: Readonly<Record<ProblemCode, Remedy>> = {
  no_network: 'look_again',
  account_missing: 'get_money',
  underfunded: 'get_money',
  asset_missing: 'add_asset',
  receiver_missing: 'another_code',
  receiver_asset_missing: 'another_code',
  memo_required: 'another_code',
  no_path: 'add_asset',
  price_moved: 'look_again',
  expired: 'look_again',
  out_of_turn: 'look_again',
  wrong_network: 'another_code',
  unreadable: 'another_code',
  refused: 'look_again',
};

/** What went wrong, with the way on. `asset` is what was to be paid, where that is known; `again` begins anew. */
export function problemNote(
  wallet: Wallet,
  { code, message }: WalletProblem,
  asset: string | null,
  again: () => void,
): HTMLElement {
  const panel = note('bad', 'Not paid.', message);
  panel.append(way(wallet, remedies[code], asset, again, panel));
  return panel;
}

function way(wallet: Wallet, remedy: Remedy, asset: string | null, again: () => void, panel: HTMLElement): HTMLElement {
  if (remedy === 'get_money') return button('quiet', 'Get test money', () => location.assign('#'));
  if (remedy === 'another_code') return button('quiet', 'Scan another code', () => location.assign('#pay'));
  const isMissing = wallet.state().account?.holdings.every(holding => holding.asset !== asset) ?? false;
  if (remedy === 'look_again' || asset === null || !isMissing) return button('quiet', 'Look again', again);
  const add = button('quiet', `Add ${codeOf(asset)} to this wallet`, () =>
    whileBusy(add, async () => {
      panel.append(await addAsset(wallet, asset));
      again();
    }),
  );
  return add;
}
