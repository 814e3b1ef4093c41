import type { SettlementDestination } from '../../api/payout.ts';
import type { CreateRamp } from '../../api/ramps/ramp.ts';
import { PayError } from '../../core/error.ts';
import { unitText } from '../../core/unit.ts';
import { cryptoRail } from '../payments/crypto/crypto-price.service.ts';
import { readDestination } from '../payments/refunds/refund.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import type { RampDeps } from './ramp-deps.ts';
import { payableOf } from './ramp-money.ts';
import type { RampQuoteRow, RampRow, RampWallet } from './tables.ts';

/** Where the customer gets what the ramp brings: coins in a wallet, or money by a payout. */
export interface RampTarget {
  readonly wallet: RampWallet | null;
  readonly payoutDestination: SettlementDestination | null;
}

/** The target of a request, in canonical form. Throws a PayError that names the wrong field. */
export function readTarget(deps: RampDeps, caller: Caller, body: CreateRamp): RampTarget {
  const [own, other] =
    body.direction === 'on' ? (['wallet', 'payout_destination'] as const) : (['payout_destination', 'wallet'] as const);
  if (body[own] === undefined) {
    throw new PayError('parameter_missing', `A ramp with direction ${body.direction} needs ${own}.`, { param: own });
  }
  const extra = body[other] !== undefined ? other : body.direction === 'off' && body.claimable ? 'claimable' : null;
  if (extra !== null) {
    const message = `A ramp with direction ${body.direction} takes no ${extra}. Leave it out.`;
    throw new PayError('parameter_invalid', message, { param: extra });
  }
  const { wallet, payout_destination: destination } = body;
  return {
    wallet: wallet === undefined ? null : readWallet(deps, caller, wallet, body.claimable === true),
    payoutDestination: destination === undefined ? null : deps.ownedPayouts.check(destination, 'payout_destination'),
  };
}

/** The wallet in the chain's fields. Throws `invalid_address` or `parameter_invalid` and names the field. */
function readWallet(
  deps: RampDeps,
  { livemode }: Caller,
  { address, memo, memo_type: memoType }: NonNullable<CreateRamp['wallet']>,
  isClaimable: boolean,
): RampWallet {
  const fields = { address, ...(memo != null && { memo }), ...(memoType != null && { memo_type: memoType }) };
  const read = readDestination(cryptoRail(deps, treasuryRail, livemode).chain, fields, 'wallet');
  if (isClaimable && 'memo' in read) {
    const message = 'A claimable balance has no memo. Leave out wallet.memo, or claimable.';
    throw new PayError('parameter_invalid', message, { param: 'claimable' });
  }
  return read;
}

/** Faults of a wallet that its owner cannot mend after the payment. */
const lastingFaults: ReadonlySet<string> = new Set(['memo_required', 'own_account', 'invalid_destination']);

/**
 * Throws `invalid_address` for a wallet that can never get the coins. A missing trustline may still come. Throws the
 * errors of `routeFor` for a payout that no rail can make.
 */
export async function assertReachable(
  deps: RampDeps,
  { livemode }: Caller,
  { asset, coins: amount }: RampQuoteRow,
  { wallet: destination, payoutDestination }: RampTarget,
  ramp: RampRow,
): Promise<void> {
  if (payoutDestination !== null) assertPayable(deps, ramp);
  if (destination === null) return;
  const { payees } = cryptoRail(deps, treasuryRail, livemode);
  const fault = await payees?.objection({ destination, asset, amount }).catch((error: unknown) => {
    // Without an answer of the network, the delivery looks again.
    if (error instanceof PayError) return null;
    throw error;
  });
  if (fault != null && lastingFaults.has(fault.code)) {
    throw new PayError('invalid_address', fault.message, { param: 'wallet.address' });
  }
}

const types = { bank_transfer: 'bank_account', mobile_money: 'mobile_money', card: null } as const;

/** Throws if the destination is not of the ramp's method, or `payoutFault`. */
function assertPayable(deps: RampDeps, ramp: RampRow): void {
  const { method, payout_destination: destination } = ramp;
  if (destination?.type !== types[method]) {
    const message = `Money by ${method} goes to a destination of the type ${types[method]}.`;
    throw new PayError('invalid_destination', message, { param: 'payout_destination.type' });
  }
  const fault = payoutFault(deps, ramp);
  if (fault !== null) throw fault;
}

/** How the ramp's money is paid out, or null without a rail that pays the currency to the destination. */
export function routeFor({ ownedPayouts }: Pick<RampDeps, 'ownedPayouts'>, ramp: RampRow) {
  const { payout_destination: destination, currency } = ramp;
  return destination === null ? null : ownedPayouts.routeOf(destination, currency);
}

/** Why the ramp's money cannot be paid out: no rail pays the destination, or not this amount. Null: it can. */
export function payoutFault(deps: Pick<RampDeps, 'ownedPayouts'>, ramp: RampRow): PayError | null {
  const { currency } = ramp;
  const route = routeFor(deps, ramp);
  if (route === null) {
    const message = `This server pays no ${currency} to this destination. Use another currency or destination.`;
    return new PayError('no_route', message, { param: 'payout_destination' });
  }
  const amount = payableOf(ramp);
  const text = (units: bigint) => `${unitText(units, currency)} ${currency}`;
  const isLittle = amount < route.least;
  if (!isLittle && (route.most === null || amount <= route.most)) return null;
  const bound = isLittle ? `at least ${text(route.least)}` : `at most ${text(route.most ?? 0n)}`;
  const message = `${route.rail} pays ${bound} at once, and this would be ${text(amount)}.`;
  return new PayError('amount_out_of_range', message, { param: 'fiat_amount' });
}
