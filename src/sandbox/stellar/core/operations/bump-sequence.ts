import type { BumpSequenceResultWire } from '@stellar/stellar-sdk/xdr';
import { accountAt } from '../balance.ts';
import { defineOperation } from '../operation-rules.ts';

/** Moves a sequence forward; moving it back is no fault and does nothing. */
export const bumpSequence = defineOperation<11, BumpSequenceResultWire>(11, {
  threshold: 'low',
  blank: { code: 0 },
  wrap: bumpSeqResult => ({ type: 11, bumpSeqResult }),
  check: ({ bumpSequenceOp: { bumpTo } }) => (bumpTo < 0n ? { code: -1 } : null),
  apply: ({ bumpSequenceOp: { bumpTo } }, { state, source }) => {
    const account = accountAt(state, source);
    state.accounts.set(source, {
      ...account,
      sequence: bumpTo > account.sequence ? bumpTo : account.sequence,
      sequenceLedger: state.header.sequence,
      sequenceTime: state.header.closeTime,
    });
    return { code: 0 };
  },
});
