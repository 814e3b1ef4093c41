import type { CreatePayment, Payment } from '../../../api/payment.ts';
import { formatAsset } from '../../../core/asset.ts';
import { parseCurrency, readCurrency } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentOwner } from '../payment-purpose.ts';

type Terms = Pick<CreatePayment, 'settlement_asset' | 'settlement_address'> & {
  readonly settlement_mode?: Payment['settlement_mode'];
};

/**
 * The unit in which a new payment is settled: a listed asset, or a currency that the account's destination can receive.
 * A payment of a link or an invoice keeps its currency when the destination is gone; its money then waits. Throws
 * `asset_not_listed`, `invalid_asset` or `parameter_invalid`, and names the field.
 */
export function settlementChoice(
  deps: Pick<PaymentDeps, 'rates' | 'ownedPayouts'>,
  { merchant }: Pick<Caller, 'merchant'>,
  { settlement_asset: text, settlement_mode: mode, settlement_address: address }: Terms,
  owner: PaymentOwner | null,
): { readonly unit: string; readonly inFiat: boolean } {
  if (parseCurrency(text) === null) {
    return { unit: formatAsset(deps.rates.listedAsset(text, 'settlement_asset')), inFiat: false };
  }
  const currency = readCurrency(text, 'settlement_asset');
  const { settlementDestination: destination } = merchant;
  const isPayable = destination !== null && deps.ownedPayouts.routeOf(destination, currency) !== null;
  if (!isPayable && owner === null) {
    const message =
      destination === null
        ? `To settle in ${currency}, set the account’s settlement.destination to a bank account or wallet first.`
        : `No connected rail pays ${currency} to the account’s settlement.destination. Use another currency.`;
    throw new PayError('asset_not_listed', message, { param: 'settlement_asset' });
  }
  if (mode === 'direct') throw onStellarOnly('settlement_mode', currency);
  if (address !== undefined) throw onStellarOnly('settlement_address', currency);
  return { unit: currency, inFiat: true };
}

function onStellarOnly(param: string, currency: string): PayError {
  const message = `${param} is for settlement on Stellar. Settlement in ${currency} goes to settlement.destination.`;
  return new PayError('parameter_invalid', message, { param });
}
