import type { PaymentResultWire } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { assetText, isIssuer, isValidAsset, native } from '../ledger-asset.ts';
import { defineOperation } from '../operation-rules.ts';
import { credit, debit } from './transfer.ts';

const success: PaymentResultWire = { code: 0 };
const malformed: PaymentResultWire = { code: -1 };
const noDestination: PaymentResultWire = { code: -5 };
const debitFaults = { underfunded: -2, no_trust: -3, not_authorized: -4 } as const;
const creditFaults = { no_trust: -6, not_authorized: -7, line_full: -8 } as const;

/** Moves one asset; the destination is credited first, so of two faults its own is reported. */
export const payment = defineOperation<1, PaymentResultWire>(1, {
  threshold: 'medium',
  blank: success,
  wrap: paymentResult => ({ type: 1, paymentResult }),
  check: ({ paymentOp: { amount, asset } }) => (amount <= 0n || !isValidAsset(asset) ? malformed : null),
  apply: ({ paymentOp }, { state, source }) => {
    const destination = accountOf(paymentOp.destination);
    const asset = assetText(paymentOp.asset);
    if (asset === native && destination === source) return success;
    // Credit can always go back to its issuer, even to one that is gone.
    if (!isIssuer(destination, asset) && !state.accounts.get(destination)) return noDestination;
    const full = credit(state, destination, asset, paymentOp.amount);
    if (full) return { code: creditFaults[full] };
    const short = debit(state, source, asset, paymentOp.amount);
    return short ? { code: debitFaults[short] } : success;
  },
});
