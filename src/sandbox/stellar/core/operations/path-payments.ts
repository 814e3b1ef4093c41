import type {
  AssetWire,
  ClaimAtomWire,
  PathPaymentStrictReceiveOpWire,
  PathPaymentStrictReceiveResultWire,
  PathPaymentStrictSendOpWire,
  PathPaymentStrictSendResultWire,
} from '@stellar/stellar-sdk/xdr';
import { credit, debit } from '../state/balances.ts';
import { maxAmount, type Offer } from '../state/entries.ts';
import { accountOf, assetText, assetWire, isIssuer, isValidAsset, publicKeyOf } from '../state/identifiers.ts';
import { type Claim, type ConversionEnd, claimAtom, convert } from '../trading/offer-conversion.ts';
import { defineOperation, exceededWorkLimit, type OperationScope, type Refusal } from './operation.ts';

/** Codes that both kinds share; what they mean has the same number in both. */
const fault = {
  malformed: -1,
  noDestination: -5,
  tooFewOffers: -10,
  crossSelf: -11,
  /** Over `sendMax`, or under `destMin`. */
  beyondLimit: -12,
} as const;
const debitFaults = { underfunded: -2, no_trust: -3, not_authorized: -4 } as const;
const creditFaults = { no_trust: -6, not_authorized: -7, line_full: -8 } as const;

type Fault =
  | { readonly code: (typeof fault)[keyof typeof fault] }
  | { readonly code: (typeof debitFaults)[keyof typeof debitFaults] }
  | { readonly code: (typeof creditFaults)[keyof typeof creditFaults] };

const maxOffers = 1000;

interface Paid {
  readonly code: 0;
  readonly success: {
    offers: ClaimAtomWire[];
    last: { destination: ReturnType<typeof publicKeyOf>; asset: AssetWire; amount: bigint };
  };
}

const blank: Paid = {
  code: 0,
  success: {
    offers: [],
    last: { destination: { type: 0, ed25519: new Uint8Array(32) }, asset: { type: 0 }, amount: 0n },
  },
};

/** A path payment, read. */
interface Route {
  readonly destination: string;
  readonly from: string;
  readonly to: string;
  readonly between: readonly string[];
}

const routeOf = (op: PathPaymentStrictReceiveOpWire | PathPaymentStrictSendOpWire): Route => ({
  destination: accountOf(op.destination),
  from: assetText(op.sendAsset),
  to: assetText(op.destAsset),
  between: op.path.map(assetText),
});

const areValidAssets = (op: PathPaymentStrictReceiveOpWire | PathPaymentStrictSendOpWire): boolean =>
  [op.sendAsset, op.destAsset, ...op.path].every(isValidAsset);

/** Credit goes back to its issuer even when that is gone; anybody else must exist. */
function hasDestination({ state }: OperationScope, { destination, from, to, between }: Route): boolean {
  const toIssuer = between.length === 0 && from === to && isIssuer(destination, to);
  return toIssuer || state.accounts.get(destination) !== undefined;
}

const endFaults: Readonly<Record<Exclude<ConversionEnd, 'done' | 'too_many' | 'bad_price'>, Fault>> = {
  partial: { code: fault.tooFewOffers },
  cross_self: { code: fault.crossSelf },
};

type Hop =
  | { readonly fault: Fault | Refusal }
  | { readonly fault: null; readonly amount: bigint; readonly claimed: readonly Claim[] };

/** Converts one hop of the path, of which exactly `amount` is sent or received. */
function hop(
  { state, source }: OperationScope,
  from: string,
  to: string,
  amount: bigint,
  offers: number,
  strict: 'send' | 'receive',
): Hop {
  const conversion = convert(state, {
    from,
    to,
    limit: strict === 'send' ? { send: amount, receive: maxAmount } : { send: maxAmount, receive: amount },
    rounding: strict === 'send' ? 'strict_send' : 'strict_receive',
    maxOffers: offers,
    refuse: (offer: Offer) => (offer.seller === source ? 'cross_self' : null),
  });
  if (conversion.end === 'too_many') return { fault: exceededWorkLimit };
  if (conversion.end !== 'done')
    return { fault: endFaults[conversion.end === 'cross_self' ? 'cross_self' : 'partial'] };
  if (conversion[strict] !== amount) return { fault: endFaults.partial };
  return { fault: null, amount: strict === 'send' ? conversion.receive : conversion.send, claimed: conversion.claimed };
}

/** Walks the path: from what is received backwards, or from what is sent forwards. Equal neighbours are one asset. */
function walk(scope: OperationScope, { from, to, between }: Route, amount: bigint, strict: 'send' | 'receive'): Hop {
  const assets = strict === 'send' ? [from, ...between, to] : [to, ...between.toReversed(), from];
  let claimed: readonly Claim[] = [];
  let current = amount;
  for (const [index, next] of assets.entries()) {
    const previous = assets[index - 1] ?? next;
    if (previous === next) continue;
    const [give, take] = strict === 'send' ? [previous, next] : [next, previous];
    const done = hop(scope, give, take, current, maxOffers - claimed.length, strict);
    if (done.fault) return done;
    current = done.amount;
    claimed = strict === 'send' ? [...claimed, ...done.claimed] : [...done.claimed, ...claimed];
  }
  return { fault: null, amount: current, claimed };
}

function paid({ destination, to }: Route, amount: bigint, claimed: readonly Claim[]): Paid {
  const last = { destination: publicKeyOf(destination), asset: assetWire(to), amount };
  return { code: 0, success: { offers: claimed.map(claimAtom), last } };
}

function receiveExactly(op: PathPaymentStrictReceiveOpWire, scope: OperationScope): Paid | Fault | Refusal {
  const route = routeOf(op);
  if (!hasDestination(scope, route)) return { code: fault.noDestination };
  const full = credit(scope.state, route.destination, route.to, op.destAmount);
  if (full) return { code: creditFaults[full] };
  const walked = walk(scope, route, op.destAmount, 'receive');
  if (walked.fault) return walked.fault;
  if (walked.amount > op.sendMax) return { code: fault.beyondLimit };
  const short = debit(scope.state, scope.source, route.from, walked.amount);
  return short ? { code: debitFaults[short] } : paid(route, op.destAmount, walked.claimed);
}

function sendExactly(op: PathPaymentStrictSendOpWire, scope: OperationScope): Paid | Fault | Refusal {
  const route = routeOf(op);
  if (!hasDestination(scope, route)) return { code: fault.noDestination };
  const short = debit(scope.state, scope.source, route.from, op.sendAmount);
  if (short) return { code: debitFaults[short] };
  const walked = walk(scope, route, op.sendAmount, 'send');
  if (walked.fault) return walked.fault;
  if (walked.amount < op.destMin) return { code: fault.beyondLimit };
  const full = credit(scope.state, route.destination, route.to, walked.amount);
  return full ? { code: creditFaults[full] } : paid(route, walked.amount, walked.claimed);
}

/** Delivers an exact amount for at most `sendMax`. */
export const pathPaymentStrictReceive = defineOperation<2, PathPaymentStrictReceiveResultWire>(2, {
  threshold: 'medium',
  blank,
  wrap: pathPaymentStrictReceiveResult => ({ type: 2, pathPaymentStrictReceiveResult }),
  check: ({ pathPaymentStrictReceiveOp: op }) =>
    op.destAmount <= 0n || op.sendMax <= 0n || !areValidAssets(op) ? { code: fault.malformed } : null,
  apply: ({ pathPaymentStrictReceiveOp: op }, scope) => receiveExactly(op, scope),
});

/** Sends an exact amount for at least `destMin`. */
export const pathPaymentStrictSend = defineOperation<13, PathPaymentStrictSendResultWire>(13, {
  threshold: 'medium',
  blank,
  wrap: pathPaymentStrictSendResult => ({ type: 13, pathPaymentStrictSendResult }),
  check: ({ pathPaymentStrictSendOp: op }) =>
    op.sendAmount <= 0n || op.destMin <= 0n || !areValidAssets(op) ? { code: fault.malformed } : null,
  apply: ({ pathPaymentStrictSendOp: op }, scope) => sendExactly(op, scope),
});
