import type { ClawbackClaimableBalanceResultWire, ClawbackResultWire } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { addCredit, clawbackFlag } from '../balance.ts';
import { assetText, isIssuer, isValidAsset } from '../ledger-asset.ts';
import { lineKey } from '../ledger-state.ts';
import { defineOperation } from '../operation-rules.ts';
import { releaseFor } from '../sponsorship.ts';
import { balanceIdText } from './claimable-balance.ts';

const lineCode = { malformed: -1, notEnabled: -2, noTrust: -3, underfunded: -4 } as const;
const balanceCode = { doesNotExist: -1, notIssuer: -2, notEnabled: -3 } as const;

/** Takes credit back from a line (CAP-35). */
export const clawback = defineOperation<19, ClawbackResultWire>(19, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: clawbackResult => ({ type: 19, clawbackResult }),
  check: ({ clawbackOp: { asset, from, amount } }, source) => {
    const ofSource = asset.type !== 0 && isValidAsset(asset) && isIssuer(source, assetText(asset));
    // A muxed spelling of the issuer is not noticed here, as in stellar-core: it has no line.
    const isSelf = from.type === 0 && accountOf(from) === source;
    return isSelf || amount < 1n || !ofSource ? { code: lineCode.malformed } : null;
  },
  apply: ({ clawbackOp: { asset, from, amount } }, { state }) => {
    const line = state.lines.get(lineKey(accountOf(from), assetText(asset)));
    if (!line) return { code: lineCode.noTrust };
    if (!(line.flags & clawbackFlag)) return { code: lineCode.notEnabled };
    return addCredit(state, line, -amount) ? { code: 0 } : { code: lineCode.underfunded };
  },
});

/** Destroys a claimable balance of the source’s credit. */
export const clawbackClaimableBalance = defineOperation<20, ClawbackClaimableBalanceResultWire>(20, {
  threshold: 'medium',
  blank: { code: 0 },
  wrap: clawbackClaimableBalanceResult => ({ type: 20, clawbackClaimableBalanceResult }),
  apply: ({ clawbackClaimableBalanceOp }, { state, source }) => {
    const id = balanceIdText(clawbackClaimableBalanceOp.balanceId);
    const balance = state.balances.get(id);
    if (!balance) return { code: balanceCode.doesNotExist };
    if (!isIssuer(source, balance.asset)) return { code: balanceCode.notIssuer };
    if (!balance.clawback) return { code: balanceCode.notEnabled };
    releaseFor(state, balance.sponsor, balance.claimants.length);
    state.balances.delete(id);
    return { code: 0 };
  },
});
