import type { SettlementDestination } from '../../../api/payout.ts';
import { PayError } from '../../../core/error.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Rates } from '../../rates/rates.ts';
import { checkDestination } from '../destinations/destination.ts';
import { destinationFields } from '../destinations/route.ts';
import { destinationContext } from '../recipients/recipient.service.ts';

/** How a payout is paid without conversion. */
export interface DirectRoute {
  readonly rail: string;
  /** Every amount that the rail pays is a multiple of this. */
  readonly step: bigint;
  /** The least amount, in minor units. */
  readonly least: bigint;
  /** The largest amount of one payout, in minor units. Null: no limit. */
  readonly most: bigint | null;
  /** Whether the rail pays on the day (`YYYY-MM-DD`). */
  readonly paysOn: (day: string) => boolean;
}

interface RouteDeps {
  readonly rates: Rates;
  readonly rails: Pick<Rails, 'payouts'>;
}

/** Checks bank accounts and wallets of mobile money, and finds the rails that pay them without conversion. */
export function createDirectRoutes({ rates, rails }: RouteDeps) {
  return {
    /** The destination in canonical form. Throws PayError for the first wrong field below `param`. */
    check: (destination: SettlementDestination, param: string): SettlementDestination => {
      // Only wallets on Stellar are compared with the service's own account.
      const checked = checkDestination(destination, param, destinationContext({ rates, rails, ownAccount: '' }));
      if ('errors' in checked) {
        const [{ code, message, param: field }] = checked.errors;
        throw new PayError(code, message, { param: field });
      }
      return checked.destination as SettlementDestination;
    },
    /** The first rail that pays the destination in this currency itself: an owner has converted the money already. */
    routeOf: (destination: SettlementDestination, currency: string): DirectRoute | null => {
      const fields = destinationFields(destination);
      const rail = rails.payouts.find(
        each => each.type === destination.type && each.currencyFor(fields, currency) === currency,
      );
      if (rail === undefined) return null;
      const { id, step = 1n, leastOf, mostOf, paysOn = () => true } = rail;
      return { rail: id, step, least: leastOf?.(currency) ?? step, most: mostOf?.(currency) ?? null, paysOn };
    },
  };
}
