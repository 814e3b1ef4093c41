import type { PayoutDestination } from '../../../api/payout.ts';
import { addSeconds } from '../../../core/clock.ts';
import type { FieldError } from '../../../core/error.ts';
import type { PayoutRail } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import type { PayoutRow } from '../tables.ts';

/** The rail that pays a destination, and the currency or asset of its payment. */
export interface PayoutRoute {
  /** `stellar`, or the id of a payout rail. */
  readonly rail: string;
  readonly currency: string;
  /** Amounts of this route must be multiples of this step. */
  readonly step: bigint;
}

/** Expected seconds for a payment on Stellar: about two ledgers. */
const ledgerSeconds = 10;

type Sending = Pick<PayoutRail, 'lane' | 'step' | 'etaOf'>;

const stellar: Sending = { lane: treasuryRail, etaOf: now => addSeconds(now, ledgerSeconds) };

/** How the rail of a payout sends. Null if the rail is not connected. */
export function sendingBy(rails: Rails['payouts'], rail: string | null): Sending | null {
  return rail === treasuryRail ? stellar : (rails.find(({ id }) => id === rail) ?? null);
}

/** Whether a chain pays the destination. */
export function isOnChain({ destination }: Pick<PayoutRow, 'destination'>): boolean {
  return destination.type === 'crypto_wallet';
}

/** The ledger account that pays a payout: the treasury of a chain, or the clearing account of a rail. */
export function payingAccount(payout: Pick<PayoutRow, 'destination' | 'rail'>) {
  return isOnChain(payout) ? (`treasury.${payout.rail}` as const) : (`clearing.${payout.rail}` as const);
}

/**
 * The route for an amount in `currency`: the first rail in the list that can pay the destination. A Stellar wallet is
 * paid in its asset. Null if no rail can pay. The caller then rejects bank and mobile-money payouts with `noRoute`, and
 * holds payouts to other chains.
 */
export function routeOf(destination: PayoutDestination, currency: string, rails: Rails['payouts']): PayoutRoute | null {
  if (destination.type === 'crypto_wallet') {
    return destination.chain === 'stellar' ? { rail: treasuryRail, currency: destination.asset, step: 1n } : null;
  }
  const fields = destinationFields(destination);
  for (const rail of rails) {
    const paid = rail.type === destination.type ? rail.currencyFor(fields, currency) : null;
    if (paid !== null) return { rail: rail.id, currency: paid, step: rail.step ?? 1n };
  }
  return null;
}

/** The destination in the form for rails (`SendOrder.destination`): its present fields as texts. */
export function destinationFields(destination: PayoutDestination): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(destination)) if (value !== undefined) fields[name] = String(value);
  return fields;
}

/** The error for a payout that no rail can pay. `param` is the path of the row. */
export function noRoute(param: string, currency: string, destination: PayoutDestination): FieldError {
  const field = param === '' ? 'currency' : `${param}.currency`;
  const kind = destination.type === 'mobile_money' ? `${destination.provider} wallets` : 'this bank account';
  return {
    param: field,
    code: 'no_route',
    message: `No connected rail pays ${currency} to ${kind}. Use another currency or destination.`,
  };
}
