import type {
  BumpSequenceResultWire,
  InflationResultWire,
  ManageDataResultWire,
  SetOptionsOpWire,
  SetOptionsResultWire,
  SignerWire,
} from '@stellar/stellar-sdk/xdr';
import { accountAt } from '../state/balances.ts';
import { type Account, accountFlag } from '../state/entries.ts';
import { accountOf, dataKey, isPlainText, signerOrder, signerText } from '../state/identifiers.ts';
import { releaseSubEntry, removeSigner, reserveSubEntry } from '../state/reserves.ts';
import { defineOperation, notSupported, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

const code = {
  lowReserve: -1,
  tooManySigners: -2,
  badFlags: -3,
  invalidInflation: -4,
  cantChange: -5,
  unknownFlag: -6,
  thresholdOutOfRange: -7,
  badSigner: -8,
  invalidHomeDomain: -9,
  authRevocableRequired: -10,
} as const;

const allFlags = Object.values(accountFlag).reduce<number>((all, flag) => all | flag, 0);
const mostSigners = 20;

type Fault = (typeof code)[keyof typeof code];

function isBadSigner({ key, weight }: SignerWire, source: string): boolean {
  const emptyPayload = key.type === 3 && key.ed25519SignedPayload.payload.length === 0;
  return signerText(key) === source || weight > 255 || emptyPayload;
}

function faultOf(op: SetOptionsOpWire, source: string): Fault | null {
  const { setFlags, clearFlags } = op;
  if ([setFlags, clearFlags].some(flags => flags !== null && (flags & ~allFlags) !== 0)) return code.unknownFlag;
  if (setFlags !== null && clearFlags !== null && (setFlags & clearFlags) !== 0) return code.badFlags;
  const weights = [op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold];
  if (weights.some(weight => weight !== null && weight > 255)) return code.thresholdOutOfRange;
  if (op.signer !== null && isBadSigner(op.signer, source)) return code.badSigner;
  return op.homeDomain !== null && !isPlainText(op.homeDomain.bytes) ? code.invalidHomeDomain : null;
}

/** The account’s new flags, or the code of the refusal. */
function changedFlags({ flags }: Account, { setFlags, clearFlags }: SetOptionsOpWire): { flags: number } | Fault {
  if (clearFlags && flags & accountFlag.immutable) return code.cantChange;
  const cleared = flags & ~(clearFlags ?? 0);
  if (setFlags && cleared & accountFlag.immutable) return code.cantChange;
  const changed = cleared | (setFlags ?? 0);
  const asked = setFlags !== null || clearFlags !== null;
  return asked && changed & accountFlag.clawback && !(changed & accountFlag.revocable)
    ? code.authRevocableRequired
    : { flags: changed };
}

function changedAccount(account: Account, op: SetOptionsOpWire, flags: number): Account {
  const { thresholds: now } = account;
  return {
    ...account,
    flags,
    inflationDestination: op.inflationDest === null ? account.inflationDestination : accountOf(op.inflationDest),
    homeDomain: op.homeDomain === null ? account.homeDomain : op.homeDomain.toString(),
    thresholds: {
      master: op.masterWeight ?? now.master,
      low: op.lowThreshold ?? now.low,
      medium: op.medThreshold ?? now.medium,
      high: op.highThreshold ?? now.high,
    },
  };
}

/** Adds a signer or changes its weight; a weight of 0 removes the signer. */
function changeSigner(
  { state, source }: OperationScope,
  { key: keyWire, weight }: SignerWire,
): SetOptionsResultWire | Refusal {
  const key = signerText(keyWire);
  const { signers } = accountAt(state, source);
  const known = signers.find(signer => signer.key === key);
  if (weight === 0) {
    if (known) removeSigner(state, source, known);
    return { code: 0 };
  }
  if (known) {
    const changed = signers.map(signer => (signer === known ? { ...signer, weight } : signer));
    state.accounts.set(source, { ...accountAt(state, source), signers: changed });
    return { code: 0 };
  }
  if (signers.length === mostSigners) return { code: code.tooManySigners };
  const reserved = reserveSubEntry(state, source, 1);
  if (reserved.fault) return reserveRefusal(reserved.fault, { code: code.lowReserve });
  const all = [...signers, { key, weight, sponsor: reserved.sponsor }];
  all.sort((a, b) => (signerOrder(a.key) < signerOrder(b.key) ? -1 : 1));
  state.accounts.set(source, { ...accountAt(state, source), signers: all });
  return { code: 0 };
}

export const setOptions = defineOperation<5, SetOptionsResultWire>(5, {
  threshold: ({ setOptionsOp: op }) =>
    [op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold, op.signer].some(value => value !== null)
      ? 'high'
      : 'medium',
  wrap: setOptionsResult => ({ type: 5, setOptionsResult }),
  check: ({ setOptionsOp }, source) => {
    const fault = faultOf(setOptionsOp, source);
    return fault && { code: fault };
  },
  apply: ({ setOptionsOp: op }, scope) => {
    const { state, source } = scope;
    const inflation = op.inflationDest === null ? source : accountOf(op.inflationDest);
    if (inflation !== source && !state.accounts.get(inflation)) return { code: code.invalidInflation };
    const account = accountAt(state, source);
    const changed = changedFlags(account, op);
    if (typeof changed === 'number') return { code: changed };
    state.accounts.set(source, changedAccount(account, op, changed.flags));
    return op.signer === null ? { code: 0 } : changeSigner(scope, op.signer);
  },
});

const dataCode = { nameNotFound: -2, lowReserve: -3, invalidName: -4 } as const;

export const manageData = defineOperation<10, ManageDataResultWire>(10, {
  wrap: manageDataResult => ({ type: 10, manageDataResult }),
  check: ({ manageDataOp: { dataName } }) =>
    dataName.length > 0 && isPlainText(dataName.bytes) ? null : { code: dataCode.invalidName },
  apply: ({ manageDataOp: { dataName, dataValue: value } }, { state, source }) => {
    const name = dataName.toString();
    const key = dataKey(source, name);
    const entry = state.data.get(key);
    if (value === null) {
      if (!entry) return { code: dataCode.nameNotFound };
      releaseSubEntry(state, source, 1, entry.sponsor);
      state.data.delete(key);
      return { code: 0 };
    }
    if (entry) {
      state.data.set(key, { ...entry, value });
      return { code: 0 };
    }
    const reserved = reserveSubEntry(state, source, 1);
    if (reserved.fault) return reserveRefusal(reserved.fault, { code: dataCode.lowReserve });
    state.data.set(key, { account: source, name, value, sponsor: reserved.sponsor, lastModified: 0 });
    return { code: 0 };
  },
});

/** Raises the sequence to `bumpTo`, but never lowers it. Always updates the sequence’s ledger and time (CAP-21). */
export const bumpSequence = defineOperation<11, BumpSequenceResultWire>(11, {
  threshold: 'low',
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

/** CAP-26 disabled this operation. */
export const inflation = defineOperation<9, InflationResultWire>(9, {
  threshold: 'low',
  blank: { code: 0, payouts: [] },
  supported: false,
  wrap: inflationResult => ({ type: 9, inflationResult }),
  apply: () => notSupported,
});
