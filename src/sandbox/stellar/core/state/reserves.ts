import { accountAt, availableNative } from './balances.ts';
import { type Account, type AccountSigner, BrokenInvariant } from './entries.ts';
import type { LedgerState } from './ledger-state.ts';

/** Why an entry cannot be added (CAP-33); each operation has its own code for the first. */
export type ReserveFault = 'low_reserve' | 'too_many_subentries' | 'too_many_sponsoring';

const mostSubEntries = 1000;
const mostReserves = 0xffff_ffff;

/** Whether the account can bear so many reserves of others. */
function canSponsor(state: LedgerState, sponsor: Account, reserves: number): ReserveFault | null {
  if (availableNative(state, sponsor) < BigInt(reserves) * BigInt(state.header.baseReserve)) return 'low_reserve';
  return sponsor.sponsoring + sponsor.subEntries + reserves > mostReserves ? 'too_many_sponsoring' : null;
}

function addToAccount(
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

/** Outcome of taking a reserve: who sponsors it, if anybody does. */
type Reserved = { readonly fault: ReserveFault } | { readonly fault: null; readonly sponsor: string | null };

/** Takes the reserve of a sub entry (trust line, offer, data or signer) of the account. */
export function reserveSubEntry(state: LedgerState, owner: string, reserves: number): Reserved {
  const account = accountAt(state, owner);
  if (account.subEntries > mostSubEntries - reserves) return { fault: 'too_many_subentries' };
  const sponsor = state.sponsorships.get(owner) ?? null;
  if (sponsor === null) {
    if (account.sponsoring + account.subEntries + reserves > mostReserves) return { fault: 'too_many_subentries' };
    if (availableNative(state, account) < BigInt(reserves) * BigInt(state.header.baseReserve))
      return { fault: 'low_reserve' };
    addToAccount(state, owner, { subEntries: reserves });
    return { fault: null, sponsor };
  }
  const fault = canSponsor(state, accountAt(state, sponsor), reserves);
  if (fault) return { fault };
  addToAccount(state, owner, { subEntries: reserves, sponsored: reserves });
  addToAccount(state, sponsor, { sponsoring: reserves });
  return { fault: null, sponsor };
}

/** Gives the reserve of a sub entry back to whoever paid it. */
export function releaseSubEntry(state: LedgerState, owner: string, reserves: number, sponsor: string | null): void {
  addToAccount(state, owner, { subEntries: -reserves, sponsored: sponsor === null ? 0 : -reserves });
  if (sponsor !== null) addToAccount(state, sponsor, { sponsoring: -reserves });
}

/** Takes reserves that belong to no account’s sub entries: those of a claimable balance. */
export function reserveFor(state: LedgerState, payer: string, reserves: number): Reserved {
  const sponsor = state.sponsorships.get(payer) ?? payer;
  const fault = canSponsor(state, accountAt(state, sponsor), reserves);
  if (fault) return { fault };
  addToAccount(state, sponsor, { sponsoring: reserves });
  return { fault: null, sponsor };
}

/** Takes the reserves of a claimable balance without asking whether there is room for them. */
export function forceReserve(state: LedgerState, sponsor: string, reserves: number): void {
  addToAccount(state, sponsor, { sponsoring: reserves });
}

/** Gives back what {@link reserveFor} took. */
export function releaseFor(state: LedgerState, sponsor: string | null, reserves: number): void {
  if (sponsor !== null) addToAccount(state, sponsor, { sponsoring: -reserves });
}

/** Takes the two reserves of a new account, which is not stored yet: sponsored, or out of its own balance. */
export function reserveAccount(state: LedgerState, id: string, balance: bigint): Reserved {
  const sponsor = state.sponsorships.get(id) ?? null;
  if (sponsor === null) {
    return balance < 2n * BigInt(state.header.baseReserve) ? { fault: 'low_reserve' } : { fault: null, sponsor };
  }
  const fault = canSponsor(state, accountAt(state, sponsor), 2);
  if (fault) return { fault };
  addToAccount(state, sponsor, { sponsoring: 2 });
  return { fault: null, sponsor };
}

/** What moves when a reserve changes hands: the entry’s weight, its owner (if it has one), and the two payers. */
interface Transfer {
  readonly reserves: number;
  readonly owner: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** Moves a reserve from who pays it to who shall; `null` stands for the owner. */
export function transferReserve(state: LedgerState, { reserves, owner, from, to }: Transfer): ReserveFault | null {
  const reserve = BigInt(reserves) * BigInt(state.header.baseReserve);
  if (to === null && owner !== null && availableNative(state, accountAt(state, owner)) < reserve) return 'low_reserve';
  if (to !== null) {
    const fault = canSponsor(state, accountAt(state, to), reserves);
    if (fault) return fault;
  }
  if (to !== null) addToAccount(state, to, { sponsoring: reserves });
  if (from !== null) addToAccount(state, from, { sponsoring: -reserves });
  const sponsored = (to === null ? 0 : reserves) - (from === null ? 0 : reserves);
  if (owner !== null && sponsored !== 0) addToAccount(state, owner, { sponsored });
  return null;
}

/** Takes a signer off an account and gives its reserve back. */
export function removeSigner(state: LedgerState, id: string, signer: AccountSigner): void {
  releaseSubEntry(state, id, 1, signer.sponsor);
  const account = accountAt(state, id);
  state.accounts.set(id, { ...account, signers: account.signers.filter(({ key }) => key !== signer.key) });
}
