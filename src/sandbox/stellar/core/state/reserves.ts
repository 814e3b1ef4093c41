import { accountAt, availableNative } from './balances.ts';
import { type Account, type AccountSigner, BrokenInvariant } from './entries.ts';
import type { LedgerState } from './ledger-state.ts';

/** Why a reserve is refused (CAP-33). Each operation has its own result code for `low_reserve`. */
export type ReserveFault = 'low_reserve' | 'too_many_subentries' | 'too_many_sponsoring';

/** The result of taking a reserve: the sponsor (`null`: the owner pays), or the reason of the refusal. */
type Reserved = { readonly fault: ReserveFault } | { readonly fault: null; readonly sponsor: string | null };

const mostSubEntries = 1000;
const mostReserves = 0xffff_ffff;

const costOf = (state: LedgerState, reserves: number): bigint => BigInt(reserves) * BigInt(state.header.baseReserve);

function sponsoringFault(state: LedgerState, sponsor: Account, reserves: number): ReserveFault | null {
  if (availableNative(state, sponsor) < costOf(state, reserves)) return 'low_reserve';
  return sponsor.sponsoring + sponsor.subEntries + reserves > mostReserves ? 'too_many_sponsoring' : null;
}

function addCounts(
  state: LedgerState,
  id: string,
  delta: Partial<Pick<Account, 'subEntries' | 'sponsoring' | 'sponsored'>>,
): void {
  const account = accountAt(state, id);
  const next = {
    subEntries: account.subEntries + (delta.subEntries ?? 0),
    sponsoring: account.sponsoring + (delta.sponsoring ?? 0),
    sponsored: account.sponsored + (delta.sponsored ?? 0),
  };
  if (next.subEntries < 0 || next.sponsoring < 0 || next.sponsored < 0)
    throw new BrokenInvariant('invalid account state');
  state.accounts.set(id, { ...account, ...next });
}

/** Takes the reserve of a sub-entry: trust line, offer, data entry or signer. */
export function reserveSubEntry(state: LedgerState, owner: string, reserves: number): Reserved {
  const account = accountAt(state, owner);
  if (account.subEntries > mostSubEntries - reserves) return { fault: 'too_many_subentries' };
  const sponsor = state.sponsorships.get(owner) ?? null;
  if (sponsor === null) {
    if (account.sponsoring + account.subEntries + reserves > mostReserves) return { fault: 'too_many_subentries' };
    if (availableNative(state, account) < costOf(state, reserves)) return { fault: 'low_reserve' };
    addCounts(state, owner, { subEntries: reserves });
    return { fault: null, sponsor };
  }
  const fault = sponsoringFault(state, accountAt(state, sponsor), reserves);
  if (fault) return { fault };
  addCounts(state, owner, { subEntries: reserves, sponsored: reserves });
  addCounts(state, sponsor, { sponsoring: reserves });
  return { fault: null, sponsor };
}

/** Releases the reserve of a sub-entry to its owner or sponsor. */
export function releaseSubEntry(state: LedgerState, owner: string, reserves: number, sponsor: string | null): void {
  addCounts(state, owner, { subEntries: -reserves, sponsored: sponsor === null ? 0 : -reserves });
  if (sponsor !== null) addCounts(state, sponsor, { sponsoring: -reserves });
}

/**
 * Takes the reserve of a claimable balance from `payer`, or from its current sponsor. A balance belongs to no account.
 */
export function reserveBalance(state: LedgerState, payer: string, reserves: number): Reserved {
  const sponsor = state.sponsorships.get(payer) ?? payer;
  const fault = sponsoringFault(state, accountAt(state, sponsor), reserves);
  if (fault) return { fault };
  addCounts(state, sponsor, { sponsoring: reserves });
  return { fault: null, sponsor };
}

/** Takes the reserve of a claimable balance from `sponsor`, without a check of the sponsor’s balance. */
export function forceReserve(state: LedgerState, sponsor: string, reserves: number): void {
  addCounts(state, sponsor, { sponsoring: reserves });
}

/** Releases reserves of a claimable balance or of a merged account to their sponsor. */
export function releaseSponsored(state: LedgerState, sponsor: string | null, reserves: number): void {
  if (sponsor !== null) addCounts(state, sponsor, { sponsoring: -reserves });
}

/** Takes the two reserves of a new account from its sponsor or from its `balance`. The account is not stored yet. */
export function reserveAccount(state: LedgerState, id: string, balance: bigint): Reserved {
  const sponsor = state.sponsorships.get(id) ?? null;
  if (sponsor === null) return balance < costOf(state, 2) ? { fault: 'low_reserve' } : { fault: null, sponsor };
  const fault = sponsoringFault(state, accountAt(state, sponsor), 2);
  if (fault) return { fault };
  addCounts(state, sponsor, { sponsoring: 2 });
  return { fault: null, sponsor };
}

/**
 * A reserve whose payer changes. `from` and `to` are sponsors. Null: the owner pays. A claimable balance has no owner.
 */
interface ReserveTransfer {
  readonly reserves: number;
  readonly owner: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** Transfers a reserve to a new payer. */
export function transferReserve(state: LedgerState, transfer: ReserveTransfer): ReserveFault | null {
  const { reserves, owner, from, to } = transfer;
  const cost = costOf(state, reserves);
  if (to === null && owner !== null && availableNative(state, accountAt(state, owner)) < cost) return 'low_reserve';
  const fault = to === null ? null : sponsoringFault(state, accountAt(state, to), reserves);
  if (fault) return fault;
  if (to !== null) addCounts(state, to, { sponsoring: reserves });
  if (from !== null) addCounts(state, from, { sponsoring: -reserves });
  const sponsored = (to === null ? 0 : reserves) - (from === null ? 0 : reserves);
  if (owner !== null && sponsored !== 0) addCounts(state, owner, { sponsored });
  return null;
}

/** Removes a signer from an account and releases its reserve. */
export function removeSigner(state: LedgerState, id: string, signer: AccountSigner): void {
  releaseSubEntry(state, id, 1, signer.sponsor);
  const account = accountAt(state, id);
  state.accounts.set(id, { ...account, signers: account.signers.filter(({ key }) => key !== signer.key) });
}
