import type { InflationResultWire } from '@stellar/stellar-sdk/xdr';
import { defineOperation, notSupported } from '../operation-rules.ts';

/** There is no inflation any more (CAP-26): the operation is refused. */
export const inflation = defineOperation<9, InflationResultWire>(9, {
  threshold: 'low',
  blank: { code: 0, payouts: [] },
  supported: false,
  wrap: inflationResult => ({ type: 9, inflationResult }),
  apply: () => notSupported,
});
