import type { UpdateAccount } from '../../api/merchant.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import { parseCurrency, readCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { MerchantChanges } from './merchant.store.ts';

/** The changed asset and destination. */
export type SettlementTerms = Pick<MerchantChanges, 'settlementAsset' | 'settlementDestination'>;

/** What the check of settlement terms needs from other modules. */
export interface SettlementTermsDeps {
  /** Throws PayError `invalid_asset` for a settlement asset that the service does not know. */
  readonly assertAsset: (text: string, param: string) => void;
  readonly ownedPayouts: {
    /** The destination in canonical form. Throws PayError for a wrong field below `param`. */
    check(destination: SettlementDestination, param: string): SettlementDestination;
    /** The rail that pays the destination in the currency. Null: none does. */
    routeOf(destination: SettlementDestination, currency: string): object | null;
  };
}

/**
 * Checks the new settlement asset and destination together with the account's current ones. Throws `invalid_asset`,
 * `asset_not_listed`, `parameter_missing`, `no_route` or the error of a wrong field of the destination.
 */
export function settlementTerms(
  deps: SettlementTermsDeps,
  merchant: Merchant,
  { asset, destination: given }: NonNullable<UpdateAccount['settlement']>,
): SettlementTerms {
  const settlementAsset = asset === undefined ? undefined : readUnit(deps, asset);
  const destination = given == null ? given : deps.ownedPayouts.check(given, 'settlement.destination');
  const currency = parseCurrency(settlementAsset ?? merchant.settlementAsset);
  if (currency !== null)
    assertReceives(deps, merchant, currency, { settlementAsset, settlementDestination: destination });
  return { settlementAsset, settlementDestination: destination };
}

function readUnit({ assertAsset }: SettlementTermsDeps, text: string): string {
  if (parseCurrency(text) !== null) return readCurrency(text, 'settlement.asset');
  assertAsset(text, 'settlement.asset');
  return text;
}

/** Both the current destination and a new one, which may wait for a second person, must receive the currency. */
function assertReceives(
  { ownedPayouts }: SettlementTermsDeps,
  { settlementDestination: current }: Merchant,
  currency: string,
  { settlementAsset, settlementDestination: next }: SettlementTerms,
): void {
  if (next === null || (next === undefined && current === null)) {
    const message =
      next === null
        ? `The account settles in ${currency}, which needs a destination. Change settlement.asset first.`
        : `To settle in ${currency}, name the bank account or wallet that receives it.`;
    throw new PayError('parameter_missing', message, { param: 'settlement.destination' });
  }
  if (next !== undefined && ownedPayouts.routeOf(next, currency) === null) {
    throw noRoute(currency, 'settlement.destination');
  }
  if (current !== null && settlementAsset !== undefined && ownedPayouts.routeOf(current, currency) === null) {
    throw noRoute(currency, 'settlement.asset');
  }
}

function noRoute(currency: string, param: string): PayError {
  const message = `No connected rail pays ${currency} to this destination. Use another currency or destination.`;
  return new PayError('no_route', message, { param });
}
