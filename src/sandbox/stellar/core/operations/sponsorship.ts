import type {
  BeginSponsoringFutureReservesResultWire,
  EndSponsoringFutureReservesResultWire,
  LedgerKeyWire,
  RevokeSponsorshipOpSignerWire,
  RevokeSponsorshipResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountAt } from '../state/balances.ts';
import type { Entry } from '../state/entries.ts';
import { rowOf } from '../state/entry-xdr.ts';
import { accountOf, assetText, isIssuer, isPlainText, isValidAsset, signerText } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { transferReserve } from '../state/reserves.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';
import { lineReserves } from './trust-lines.ts';

const beginCode = { malformed: -1, alreadySponsored: -2, recursive: -3 } as const;
const endCode = { notSponsored: -1 } as const;
const revokeCode = { doesNotExist: -1, notSponsor: -2, lowReserve: -3, onlyTransferable: -4, malformed: -5 } as const;

/** The source pays the reserves of another account until the matching end operation (CAP-33). */
export const beginSponsoringFutureReserves = defineOperation<16, BeginSponsoringFutureReservesResultWire>(16, {
  wrap: beginSponsoringFutureReservesResult => ({ type: 16, beginSponsoringFutureReservesResult }),
  check: ({ beginSponsoringFutureReservesOp: { sponsoredId } }, source) =>
    accountOf(sponsoredId) === source ? { code: beginCode.malformed } : null,
  apply: ({ beginSponsoringFutureReservesOp }, { state, source }) => {
    const sponsored = accountOf(beginSponsoringFutureReservesOp.sponsoredId);
    if (state.sponsorships.get(sponsored)) return { code: beginCode.alreadySponsored };
    const isChain = state.sponsorships.get(source) ?? state.sponsorshipCounts.get(sponsored);
    if (isChain) return { code: beginCode.recursive };
    state.sponsorships.set(sponsored, source);
    state.sponsorshipCounts.set(source, (state.sponsorshipCounts.get(source) ?? 0) + 1);
    return { code: 0 };
  },
});

/** Ends a sponsorship that a begin operation started. The source is the sponsored account. */
export const endSponsoringFutureReserves = defineOperation<17, EndSponsoringFutureReservesResultWire>(17, {
  wrap: endSponsoringFutureReservesResult => ({ type: 17, endSponsoringFutureReservesResult }),
  apply: (_body, { state, source }) => {
    const sponsor = state.sponsorships.get(source);
    if (sponsor === undefined) return { code: endCode.notSponsored };
    const left = (state.sponsorshipCounts.get(sponsor) ?? 1) - 1;
    if (left > 0) state.sponsorshipCounts.set(sponsor, left);
    else state.sponsorshipCounts.delete(sponsor);
    state.sponsorships.delete(source);
    return { code: 0 };
  },
});

/** A reserve whose payer may change. */
interface Reserve {
  /** The owner of the entry. Null for claimable balances. */
  readonly owner: string | null;
  readonly sponsor: string | null;
  readonly reserves: number;
  /** Stores the new payer. */
  readonly assign: (sponsor: string | null) => void;
}

/** The owner of an entry and its number of reserves. Null for pools, which have no reserve. */
function ownerOf({ kind, entry }: Entry): Pick<Reserve, 'owner' | 'reserves'> | null {
  switch (kind) {
    case 'account':
      return { owner: entry.id, reserves: 2 };
    case 'line':
      return { owner: entry.account, reserves: lineReserves(entry.asset) };
    case 'offer':
      return { owner: entry.seller, reserves: 1 };
    case 'data':
      return { owner: entry.account, reserves: 1 };
    case 'balance':
      return { owner: null, reserves: entry.claimants.length };
    case 'pool':
      return null;
  }
}

function findEntry(state: LedgerState, ledgerKey: LedgerKeyWire): Reserve | null {
  const { kind, key } = rowOf(ledgerKey);
  const table = state.table(kind);
  const row = table.get(key) as { readonly sponsor: string | null } | undefined;
  const owned = row && ownerOf({ kind, entry: row } as Entry);
  if (!owned || (ledgerKey.type === 2 && accountOf(ledgerKey.offer.sellerId) !== owned.owner)) return null;
  return {
    ...owned,
    sponsor: row.sponsor,
    assign: sponsor => table.set(key, { ...(table.get(key) as object), sponsor }),
  };
}

function findSigner(state: LedgerState, { accountId, signerKey }: RevokeSponsorshipOpSignerWire): Reserve | null {
  const owner = accountOf(accountId);
  const key = signerText(signerKey);
  const found = state.accounts.get(owner)?.signers.find(signer => signer.key === key);
  if (!found) return null;
  const assign = (sponsor: string | null) => {
    const account = accountAt(state, owner);
    const signers = account.signers.map(signer => (signer.key === key ? { ...signer, sponsor } : signer));
    state.accounts.set(owner, { ...account, signers });
  };
  return { owner, sponsor: found.sponsor, reserves: 1, assign };
}

/** Moves a reserve to a new payer: the source’s current sponsor, or the owner if the source has no sponsor. */
function revoke({ state, source }: OperationScope, reserve: Reserve | null): RevokeSponsorshipResultWire | Refusal {
  if (!reserve) return { code: revokeCode.doesNotExist };
  const { owner, sponsor, reserves, assign } = reserve;
  if ((sponsor ?? owner) !== source) return { code: revokeCode.notSponsor };
  const current = state.sponsorships.get(source) ?? null;
  const next = current === (owner ?? sponsor) ? null : current;
  if (next === null && owner === null) return { code: revokeCode.onlyTransferable };
  if (sponsor === null && next === null) return { code: 0 };
  const fault = transferReserve(state, { reserves, owner, from: sponsor, to: next });
  if (fault) return reserveRefusal(fault, { code: revokeCode.lowReserve });
  assign(next);
  return { code: 0 };
}

function isMalformed(key: LedgerKeyWire): boolean {
  if (key.type === 1) {
    const { asset, accountId } = key.trustLine;
    return asset.type === 0 || !isValidAsset(asset) || isIssuer(accountOf(accountId), assetText(asset));
  }
  if (key.type === 2) return key.offer.offerId <= 0n;
  if (key.type === 3) return key.data.dataName.length === 0 || !isPlainText(key.data.dataName.bytes);
  return key.type > 4;
}

/** Transfers the reserve of an entry or a signer to another sponsor or back to its owner (CAP-33). */
export const revokeSponsorship = defineOperation<18, RevokeSponsorshipResultWire>(18, {
  wrap: revokeSponsorshipResult => ({ type: 18, revokeSponsorshipResult }),
  check: ({ revokeSponsorshipOp: op }) =>
    op.type === 0 && isMalformed(op.ledgerKey) ? { code: revokeCode.malformed } : null,
  apply: ({ revokeSponsorshipOp: op }, scope) =>
    revoke(scope, op.type === 0 ? findEntry(scope.state, op.ledgerKey) : findSigner(scope.state, op.signer)),
});
