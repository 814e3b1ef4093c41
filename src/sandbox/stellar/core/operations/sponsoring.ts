import type {
  BeginSponsoringFutureReservesResultWire,
  EndSponsoringFutureReservesResultWire,
} from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { defineOperation } from '../operation-rules.ts';

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
