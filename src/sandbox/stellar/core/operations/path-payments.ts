import type {
  AssetWire,
  ClaimAtomWire,
  PathPaymentStrictReceiveOpWire,
  PathPaymentStrictReceiveResultWire,
  PathPaymentStrictSendOpWire,
  PathPaymentStrictSendResultWire,
  PublicKeyWire,
} from '@stellar/stellar-sdk/xdr';
import { credit, debit } from '../state/balances.ts';
import { accountOf, assetText, isIssuer, isValidAsset, publicKeyOf } from '../state/identifiers.ts';
import { type Claim, claimAtom, convertPath, type PathTerms } from '../trading/conversion.ts';
import { defineOperation, exceededWorkLimit, type OperationScope, type Refusal } from './operation.ts';
import { payCreditCode, payDebitCode } from './payments.ts';

/** Codes that have the same number in both types of path payment. */
const code = {
  malformed: -1,
  noDestination: -5,
  tooFewOffers: -10,
  crossSelf: -11,
  /** The amount is above `sendMax`, or below `destMin`. */
  beyondLimit: -12,
} as const;

interface Fault {
  readonly code:
    | (typeof code)[keyof typeof code]
    | (typeof payDebitCode)[keyof typeof payDebitCode]
    | (typeof payCreditCode)[keyof typeof payCreditCode];
}

interface Paid {
  readonly code: 0;
  readonly success: {
    offers: ClaimAtomWire[];
    last: { destination: PublicKeyWire; asset: AssetWire; amount: bigint };
  };
}

const blank: Paid = {
  code: 0,
  success: {
    offers: [],
    last: { destination: { type: 0, ed25519: new Uint8Array(32) }, asset: { type: 0 }, amount: 0n },
  },
};

type PathOp = PathPaymentStrictReceiveOpWire | PathPaymentStrictSendOpWire;

const hasValidAssets = (op: PathOp): boolean => [op.sendAsset, op.destAsset, ...op.path].every(isValidAsset);

/** The destination must exist, unless credit returns to its issuer without conversion. */
function hasDestination({ state }: OperationScope, { destination, sendAsset, destAsset, path }: PathOp): boolean {
  const account = accountOf(destination);
  const asset = assetText(destAsset);
  const toIssuer = path.length === 0 && assetText(sendAsset) === asset && isIssuer(account, asset);
  return toIssuer || state.accounts.get(account) !== undefined;
}

type Converted =
  | { readonly fault: Fault | Refusal }
  | { readonly fault: null; readonly amount: bigint; readonly claimed: readonly Claim[] };

function converted(
  { state, source }: OperationScope,
  op: PathOp,
  amount: bigint,
  strict: PathTerms['strict'],
): Converted {
  const path = [op.sendAsset, ...op.path, op.destAsset].map(assetText);
  const { end, ...conversion } = convertPath(state, { path, strict, amount, payer: source });
  if (end === 'too_many') return { fault: exceededWorkLimit };
  if (end === 'cross_self') return { fault: { code: code.crossSelf } };
  return end === 'done' ? { fault: null, ...conversion } : { fault: { code: code.tooFewOffers } };
}

const paid = ({ destination, destAsset }: PathOp, amount: bigint, claimed: readonly Claim[]): Paid => ({
  code: 0,
  success: {
    offers: claimed.map(claimAtom),
    last: { destination: publicKeyOf(accountOf(destination)), asset: destAsset, amount },
  },
});

function receiveExactly(op: PathPaymentStrictReceiveOpWire, scope: OperationScope): Paid | Fault | Refusal {
  const { state, source } = scope;
  if (!hasDestination(scope, op)) return { code: code.noDestination };
  const full = credit(state, accountOf(op.destination), assetText(op.destAsset), op.destAmount);
  if (full) return { code: payCreditCode[full] };
  const conversion = converted(scope, op, op.destAmount, 'receive');
  if (conversion.fault) return conversion.fault;
  if (conversion.amount > op.sendMax) return { code: code.beyondLimit };
  const short = debit(state, source, assetText(op.sendAsset), conversion.amount);
  return short ? { code: payDebitCode[short] } : paid(op, op.destAmount, conversion.claimed);
}

function sendExactly(op: PathPaymentStrictSendOpWire, scope: OperationScope): Paid | Fault | Refusal {
  const { state, source } = scope;
  if (!hasDestination(scope, op)) return { code: code.noDestination };
  const short = debit(state, source, assetText(op.sendAsset), op.sendAmount);
  if (short) return { code: payDebitCode[short] };
  const conversion = converted(scope, op, op.sendAmount, 'send');
  if (conversion.fault) return conversion.fault;
  if (conversion.amount < op.destMin) return { code: code.beyondLimit };
  const full = credit(state, accountOf(op.destination), assetText(op.destAsset), conversion.amount);
  return full ? { code: payCreditCode[full] } : paid(op, conversion.amount, conversion.claimed);
}

export const pathPaymentStrictReceive = defineOperation<2, PathPaymentStrictReceiveResultWire>(2, {
  blank,
  wrap: pathPaymentStrictReceiveResult => ({ type: 2, pathPaymentStrictReceiveResult }),
  check: ({ pathPaymentStrictReceiveOp: op }) =>
    op.destAmount <= 0n || op.sendMax <= 0n || !hasValidAssets(op) ? { code: code.malformed } : null,
  apply: ({ pathPaymentStrictReceiveOp: op }, scope) => receiveExactly(op, scope),
});

export const pathPaymentStrictSend = defineOperation<13, PathPaymentStrictSendResultWire>(13, {
  blank,
  wrap: pathPaymentStrictSendResult => ({ type: 13, pathPaymentStrictSendResult }),
  check: ({ pathPaymentStrictSendOp: op }) =>
    op.sendAmount <= 0n || op.destMin <= 0n || !hasValidAssets(op) ? { code: code.malformed } : null,
  apply: ({ pathPaymentStrictSendOp: op }, scope) => sendExactly(op, scope),
});
