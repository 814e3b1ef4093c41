import { type Account, BrokenInvariant, type Liabilities, maxAmount, type Trustline } from './entries.ts';
import { isIssuer, isPoolShare, native } from './identifiers.ts';
import { type LedgerState, lineKey } from './ledger-state.ts';

/**
 * What an account holds of an asset and how it moves (stellar-core’s `TransactionUtils` and `TrustLineWrapper`).
 * Native lies on the account, credit on a trust line, and an issuer has no end of its own credit.
 */
export const authorizedFlag = 1;
export const maintainFlag = 2;
export const clawbackFlag = 4;
const authorizationFlags = authorizedFlag | maintainFlag;

/** A trust line, or that none is needed because the account issues the asset. */
type Line = Trustline | 'issuer';

/** The line of an account for credit; `null` where there is none. */
export function findLine(state: LedgerState, account: string, asset: string): Line | null {
  if (isIssuer(account, asset)) return 'issuer';
  return state.lines.get(lineKey(account, asset)) ?? null;
}

export const isAuthorized = (line: Line): boolean => line === 'issuer' || (line.flags & authorizedFlag) !== 0;

export const maintainsLiabilities = (flags: number): boolean => (flags & authorizationFlags) !== 0;

/** Whether what is promised to offers may stay; pool shares need no authorization. */
export const mayMaintain = (line: Line): boolean =>
  line === 'issuer' || isPoolShare(line.asset) || maintainsLiabilities(line.flags);

function requireAuthorization(line: Trustline): void {
  if (!mayMaintain(line)) throw new BrokenInvariant('Invalid authorization');
}

/** The account, which must exist. */
export function accountAt(state: LedgerState, id: string): Account {
  const account = state.accounts.get(id);
  if (!account) throw new BrokenInvariant(`account ${id} does not exist`);
  return account;
}

/** The reserve an account must keep (CAP-33). */
function minimumBalance(state: LedgerState, account: Account): bigint {
  const entries = 2 + account.subEntries + account.sponsoring - account.sponsored;
  if (entries < 0) throw new BrokenInvariant('unexpected account state');
  return BigInt(entries) * BigInt(state.header.baseReserve);
}

/** Stroops above the reserve and what is promised to offers; negative when the fee ate into the reserve. */
export const availableNative = (state: LedgerState, account: Account): bigint =>
  account.balance - minimumBalance(state, account) - account.selling;

/** What the account could give away of the asset; `null` without a line. */
export function available(state: LedgerState, account: string, asset: string): bigint | null {
  if (asset === native) return availableNative(state, accountAt(state, account));
  const line = findLine(state, account, asset);
  if (line === null) return null;
  if (line === 'issuer') return maxAmount;
  requireAuthorization(line);
  return line.balance - line.selling;
}

/** What the account could still take of the asset; `null` without a line. */
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

/** The most an offer of this account can sell; nothing without an authorized line. */
export function canSell(state: LedgerState, account: string, asset: string): bigint {
  if (asset !== native) {
    const line = findLine(state, account, asset);
    if (line === null || !mayMaintain(line)) return 0n;
  }
  return positive(available(state, account, asset));
}

/** The most an offer of this account can buy. */
export const canBuy = (state: LedgerState, account: string, asset: string): bigint =>
  positive(room(state, account, asset));

/** Adds to a balance, or says `false` where it would leave what the reserve, the limit and the liabilities allow. */
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

/** As {@link addBalance} on a trust line, authorized or not: what a clawback needs (CAP-35). */
export function addCredit(state: LedgerState, line: Trustline, delta: bigint): boolean {
  const balance = line.balance + delta;
  if (balance < line.selling || balance > line.limit - line.buying || balance < 0n) return false;
  state.lines.set(lineKey(line.account, line.asset), { ...line, balance });
  return true;
}

/** Promises more or less of what an account may come to buy and sell; throws where there is no room for it. */
export function addLiabilities(state: LedgerState, id: string, asset: string, delta: Partial<Liabilities>): void {
  const { buying = 0n, selling = 0n } = delta;
  if (buying === 0n && selling === 0n) return;
  if (asset === native) {
    const account = accountAt(state, id);
    const spare = account.balance - minimumBalance(state, account);
    const liabilities = grown(account, buying, selling, maxAmount - account.balance, spare);
    state.accounts.set(id, { ...account, ...liabilities });
    return;
  }
  const line = findLine(state, id, asset);
  if (line === null) throw new BrokenInvariant('trustline does not exist');
  if (line === 'issuer') return;
  requireAuthorization(line);
  const liabilities = grown(line, buying, selling, line.limit - line.balance, line.balance);
  state.lines.set(lineKey(id, asset), { ...line, ...liabilities });
}

function grown(
  now: Liabilities,
  buying: bigint,
  selling: bigint,
  mostBuying: bigint,
  mostSelling: bigint,
): Liabilities {
  const next = { buying: now.buying + buying, selling: now.selling + selling };
  const tooMuch = (delta: bigint, value: bigint, most: bigint) => delta !== 0n && (value < 0n || value > most);
  if (tooMuch(buying, next.buying, mostBuying)) throw new BrokenInvariant('could not add buying liabilities');
  if (tooMuch(selling, next.selling, mostSelling)) throw new BrokenInvariant('could not add selling liabilities');
  return next;
}

/** Why an account cannot give or take. */
type DebitFault = 'no_trust' | 'not_authorized' | 'underfunded';
type CreditFault = 'no_trust' | 'not_authorized' | 'line_full';

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
