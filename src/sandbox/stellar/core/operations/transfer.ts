import { accountAt, addBalance, availableNative, findLine, isAuthorized } from '../balance.ts';
import { native } from '../ledger-asset.ts';
import type { LedgerState } from '../ledger-state.ts';

/** Why an account cannot give or take. */
export type DebitFault = 'no_trust' | 'not_authorized' | 'underfunded';
export type CreditFault = 'no_trust' | 'not_authorized' | 'line_full';

/** Takes from an account; the native balance keeps its reserve. */
export function debit(state: LedgerState, account: string, asset: string, amount: bigint): DebitFault | null {
  if (asset === native) {
    if (amount > availableNative(state, accountAt(state, account))) return 'underfunded';
    return addBalance(state, account, asset, -amount) ? null : 'underfunded';
  }
  const line = findLine(state, account, asset);
  if (line === null) return 'no_trust';
  if (!isAuthorized(line)) return 'not_authorized';
  return addBalance(state, account, asset, -amount) ? null : 'underfunded';
}

/** Gives to an account, which must exist where the asset is native. */
export function credit(state: LedgerState, account: string, asset: string, amount: bigint): CreditFault | null {
  if (asset !== native) {
    const line = findLine(state, account, asset);
    if (line === null) return 'no_trust';
    if (!isAuthorized(line)) return 'not_authorized';
  }
  return addBalance(state, account, asset, amount) ? null : 'line_full';
}
