import type { ManageDataResultWire } from '@stellar/stellar-sdk/xdr';
import { dataKey } from '../ledger-state.ts';
import { defineOperation, reserveRefusal } from '../operation-rules.ts';
import { isPlainText } from '../plain-text.ts';
import { releaseSubEntry, reserveSubEntry } from '../sponsorship.ts';

const success: ManageDataResultWire = { code: 0 };
const nameNotFound: ManageDataResultWire = { code: -2 };
const lowReserve: ManageDataResultWire = { code: -3 };
const invalidName: ManageDataResultWire = { code: -4 };

/** Sets or deletes a named value on an account. */
export const manageData = defineOperation<10, ManageDataResultWire>(10, {
  threshold: 'medium',
  blank: success,
  wrap: manageDataResult => ({ type: 10, manageDataResult }),
  check: ({ manageDataOp: { dataName } }) => (dataName.length > 0 && isPlainText(dataName.bytes) ? null : invalidName),
  apply: ({ manageDataOp: { dataName, dataValue: value } }, { state, source }) => {
    const name = dataName.toString();
    const key = dataKey(source, name);
    const entry = state.data.get(key);
    if (value === null) {
      if (!entry) return nameNotFound;
      releaseSubEntry(state, source, 1, entry.sponsor);
      state.data.delete(key);
      return success;
    }
    if (entry) {
      state.data.set(key, { ...entry, value });
      return success;
    }
    const reserved = reserveSubEntry(state, source, 1);
    if (reserved.fault) return reserveRefusal(reserved.fault, lowReserve);
    state.data.set(key, { account: source, name, value, sponsor: reserved.sponsor, lastModified: 0 });
    return success;
  },
});
