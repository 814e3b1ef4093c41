import { type Account, BrokenInvariant, type Liabilities, lineFlag, maxAmount, type Trustline } from './entries.ts';
import { isIssuer, isPoolShare, lineKey, native } from './identifiers.ts';
import type { LedgerState } from './ledger-state.ts';

// Balances of accounts (stellar-core’s `TransactionUtils` and `TrustLineWrapper`). The native balance is part of the
// account, and credit is on a trust line. An issuer’s supply of its own credit is unlimited.

/** A trust line, or `issuer` if the account issues the asset and therefore needs no trust line. */
type Line = Trustline | 'issuer';

/** An account’s trust line for an issued asset, or `null`. */
export function findLine(state: LedgerState, account: string, asset: string): Line | null {
  if (isIssuer(account, asset)) return 'issuer';
  return state.lines.get(lineKey(account, asset)) ?? null;
}

/** The issuer authorizes a trust line by one of these flags. */
export const authorizationFlags = lineFlag.authorized | lineFlag.maintainLiabilities;

export const isAuthorized = (line: Line): boolean => line === 'issuer' || (line.flags & lineFlag.authorized) !== 0;

export const maintainsLiabilities = (flags: number): boolean => (flags & authorizationFlags) !== 0;

/** Whether the trust line may keep its liabilities. Pool shares need no authorization. */
export const mayMaintain = (line: Line): boolean =>
  line === 'issuer' || isPoolShare(line.asset) || maintainsLiabilities(line.flags);

function requireAuthorization(line: Trustline): void {
  if (!mayMaintain(line)) throw new BrokenInvariant('Invalid authorization');
}

/** The account. Throws `BrokenInvariant` when it does not exist. */
export function accountAt(state: LedgerState, id: string): Account {
  const account = state.accounts.get(id);
  if (!account) throw new BrokenInvariant(`account ${id} does not exist`);
  return account;
}

/** The reserve that an account must keep (CAP-33). */
function minimumBalance(state: LedgerState, account: Account): bigint {
  const entries = 2 + account.subEntries + account.sponsoring - account.sponsored;
  if (entries < 0) throw new BrokenInvariant('unexpected account state');
  return BigInt(entries) * BigInt(state.header.baseReserve);
}

/** Stroops above reserve and selling liabilities. Negative if fees took the balance below these. */
export const availableNative = (state: LedgerState, account: Account): bigint =>
  account.balance - minimumBalance(state, account) - account.selling;

/** The amount that the account can send, or `null` if it has no trust line. Negative if fees took the reserve. */
export function available(state: LedgerState, account: string, asset: string): bigint | null {
  if (asset === native) return availableNative(state, accountAt(state, account));
  const line = findLine(state, account, asset);
  if (line === null) return null;
  if (line === 'issuer') return maxAmount;
  requireAuthorization(line);
  return line.balance - line.selling;
}

/** The amount that the account can receive, or `null` if it has no trust line. */
export function room(state: LedgerState, account: string, asset: string): bigint | null {
  if (asset === native) {
    const { balance, buying } = accountAt(state, account);
    return maxAmount - balance - buying;
  }
  const line = findLine(state, account, asset);
  if (line === null) return null;
  if (line === 'issuer') return maxAmount;
  requireAuthorization(line);
  return line.limit - line.balance - line.buying;
}

const positive = (amount: bigint | null): bigint => (amount !== null && amount > 0n ? amount : 0n);

/** The maximum that an offer of this account can sell. 0 without a trust line that may keep liabilities. */
export function canSell(state: LedgerState, account: string, asset: string): bigint {
  if (asset !== native) {
    const line = findLine(state, account, asset);
    if (line === null || !mayMaintain(line)) return 0n;
  }
  return positive(available(state, account, asset));
}

/** The maximum that an offer of this account can buy. */
export const canBuy = (state: LedgerState, account: string, asset: string): bigint =>
  positive(room(state, account, asset));

/**
 * Changes a balance. Changes nothing and returns false if reserve, limit or liabilities forbid the change. Throws
 * `BrokenInvariant` without an authorized trust line.
 */
export function addBalance(state: LedgerState, id: string, asset: string, delta: bigint): boolean {
  if (asset === native) return addNative(state, accountAt(state, id), delta);
  const line = findLine(state, id, asset);
  if (line === null) throw new BrokenInvariant(`trust line of ${id} for ${asset} does not exist`);
  if (line === 'issuer' || delta === 0n) return true;
  requireAuthorization(line);
  return addCredit(state, line, delta);
}

function addNative(state: LedgerState, account: Account, delta: bigint): boolean {
  if (delta === 0n) return true;
  const balance = account.balance + delta;
  if (balance < 0n || balance > maxAmount - account.buying) return false;
  if (delta < 0n && balance - minimumBalance(state, account) < account.selling) return false;
  state.accounts.set(account.id, { ...account, balance });
  return true;
}

/**
 * Changes the balance of a trust line like {@link addBalance}, but requires no authorization. Clawbacks need this
 * (CAP-35).
 */
export function addCredit(state: LedgerState, line: Trustline, delta: bigint): boolean {
  const balance = line.balance + delta;
  if (balance < line.selling || balance > line.limit - line.buying || balance < 0n) return false;
  state.lines.set(lineKey(line.account, line.asset), { ...line, balance });
  return true;
}

/** Changes liabilities. Throws `BrokenInvariant` if balance or limit does not cover them. */
export function addLiabilities(state: LedgerState, id: string, asset: string, delta: Partial<Liabilities>): void {
  const { buying = 0n, selling = 0n } = delta;
  if (buying === 0n && selling === 0n) return;
  if (asset === native) {
    const account = accountAt(state, id);
    const spare = account.balance - minimumBalance(state, account);
    const liabilities = summed(account, { buying, selling }, { buying: maxAmount - account.balance, selling: spare });
    state.accounts.set(id, { ...account, ...liabilities });
    return;
  }
  const line = findLine(state, id, asset);
  if (line === null) throw new BrokenInvariant('trustline does not exist');
  if (line === 'issuer') return;
  requireAuthorization(line);
  const most = { buying: line.limit - line.balance, selling: line.balance };
  state.lines.set(lineKey(id, asset), { ...line, ...summed(line, { buying, selling }, most) });
}

function summed(now: Liabilities, delta: Liabilities, most: Liabilities): Liabilities {
  const next = { buying: now.buying + delta.buying, selling: now.selling + delta.selling };
  for (const side of ['buying', 'selling'] as const) {
    if (delta[side] !== 0n && (next[side] < 0n || next[side] > most[side])) {
      throw new BrokenInvariant(`could not add ${side} liabilities`);
    }
  }
  return next;
}

/** Subtracts an amount. Returns null, or the reason why the account cannot send the amount. */
export function debit(
  state: LedgerState,
  account: string,
  asset: string,
  amount: bigint,
): 'no_trust' | 'not_authorized' | 'underfunded' | null {
  if (asset === native) {
    if (amount > availableNative(state, accountAt(state, account))) return 'underfunded';
  } else {
    const line = findLine(state, account, asset);
    if (line === null) return 'no_trust';
    if (!isAuthorized(line)) return 'not_authorized';
  }
  return addBalance(state, account, asset, -amount) ? null : 'underfunded';
}

/** Adds an amount. Returns null, or the reason why the account cannot receive the amount. */
export function credit(
  state: LedgerState,
  account: string,
  asset: string,
  amount: bigint,
): 'no_trust' | 'not_authorized' | 'line_full' | null {
  if (asset !== native) {
    const line = findLine(state, account, asset);
    if (line === null) return 'no_trust';
    if (!isAuthorized(line)) return 'not_authorized';
  }
  return addBalance(state, account, asset, amount) ? null : 'line_full';
}
