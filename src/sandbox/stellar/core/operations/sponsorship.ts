import type {
  BeginSponsoringFutureReservesResultWire,
  EndSponsoringFutureReservesResultWire,
  LedgerKeyWire,
  RevokeSponsorshipOpSignerWire,
  RevokeSponsorshipResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountAt } from '../state/balances.ts';
import type { EntryTable } from '../state/entry-table.ts';
import {
  accountOf,
  assetText,
  balanceIdText,
  isIssuer,
  isPlainText,
  isPoolShare,
  isValidAsset,
  signerText,
} from '../state/identifiers.ts';
import { dataKey, type LedgerState, lineKey } from '../state/ledger-state.ts';
import { transferReserve } from '../state/reserves.ts';
import { defineOperation, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const beginCode = { malformed: -1, alreadySponsored: -2, recursive: -3 } as const;
const notSponsored = -1;

/** From here to the matching end, the source pays the reserves of another account (CAP-33). */
export const beginSponsoringFutureReserves = defineOperation<16, BeginSponsoringFutureReservesResultWire>(16, {
  threshold: 'medium',
  blank: { code: 0 },
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

/** The sponsored account ends what {@link beginSponsoringFutureReserves} began. */
export const endSponsoringFutureReserves = defineOperation<17, EndSponsoringFutureReservesResultWire>(17, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: endSponsoringFutureReservesResult => ({ type: 17, endSponsoringFutureReservesResult }),
  apply: (_body, { state, source }) => {
    const sponsor = state.sponsorships.get(source);
    if (sponsor === undefined) return { code: notSponsored };
    const left = (state.sponsorshipCounts.get(sponsor) ?? 1) - 1;
    if (left > 0) state.sponsorshipCounts.set(sponsor, left);
    else state.sponsorshipCounts.delete(sponsor);
    state.sponsorships.delete(source);
    return { code: 0 };
  },
});

const code = { doesNotExist: -1, notSponsor: -2, lowReserve: -3, onlyTransferable: -4, malformed: -5 } as const;

/** A reserve whose payer may change. */
interface Reserve {
  /** Whose entry it is; a claimable balance belongs to nobody. */
  readonly owner: string | null;
  readonly sponsor: string | null;
  readonly reserves: number;
  /** Writes the new payer into the entry. */
  readonly assign: (sponsor: string | null) => void;
}

function assignTo<Row extends { readonly sponsor: string | null }>(table: EntryTable<Row>, key: string) {
  return (sponsor: string | null) => {
    const row = table.get(key);
    if (row) table.set(key, { ...row, sponsor });
  };
}

function reserveIn<Row extends { readonly sponsor: string | null }>(
  table: EntryTable<Row>,
  key: string,
  owner: string | null,
  reserves: (row: Row) => number,
): Reserve | null {
  const row = table.get(key);
  return row ? { owner, sponsor: row.sponsor, reserves: reserves(row), assign: assignTo(table, key) } : null;
}

function findEntry(state: LedgerState, key: LedgerKeyWire): Reserve | null {
  switch (key.type) {
    case 0: {
      const id = accountOf(key.account.accountId);
      return reserveIn(state.accounts, id, id, () => 2);
    }
    case 1: {
      const [account, asset] = [accountOf(key.trustLine.accountId), assetText(key.trustLine.asset)];
      return reserveIn(state.lines, lineKey(account, asset), account, () => (isPoolShare(asset) ? 2 : 1));
    }
    case 2: {
      const seller = accountOf(key.offer.sellerId);
      const offer = state.offers.get(String(key.offer.offerId));
      return offer?.seller === seller ? reserveIn(state.offers, String(offer.id), seller, () => 1) : null;
    }
    case 3: {
      const account = accountOf(key.data.accountId);
      return reserveIn(state.data, dataKey(account, key.data.dataName.toString()), account, () => 1);
    }
    case 4:
      return reserveIn(
        state.balances,
        balanceIdText(key.claimableBalance.balanceId),
        null,
        row => row.claimants.length,
      );
    default:
      return null;
  }
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

/** The payer becomes whoever sponsors the source at the moment, else the owner. */
function revoke({ state, source }: OperationScope, reserve: Reserve | null): RevokeSponsorshipResultWire | Refusal {
  if (!reserve) return { code: code.doesNotExist };
  const { owner, sponsor, reserves, assign } = reserve;
  if ((sponsor ?? owner) !== source) return { code: code.notSponsor };
  const current = state.sponsorships.get(source) ?? null;
  const next = current === (owner ?? sponsor) ? null : current;
  if (next === null && owner === null) return { code: code.onlyTransferable };
  if (sponsor === null && next === null) return { code: 0 };
  const fault = transferReserve(state, { reserves, owner, from: sponsor, to: next });
  if (fault) return reserveRefusal(fault, { code: code.lowReserve });
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

/** Hands the reserve of an entry or a signer to somebody else, or back to its owner (CAP-33). */
export const revokeSponsorship = defineOperation<18, RevokeSponsorshipResultWire>(18, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: revokeSponsorshipResult => ({ type: 18, revokeSponsorshipResult }),
  check: ({ revokeSponsorshipOp: op }) =>
    op.type === 0 && isMalformed(op.ledgerKey) ? { code: code.malformed } : null,
  apply: ({ revokeSponsorshipOp: op }, scope) =>
    revoke(scope, op.type === 0 ? findEntry(scope.state, op.ledgerKey) : findSigner(scope.state, op.signer)),
});
