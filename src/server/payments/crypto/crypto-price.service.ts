import type { CreatePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { mostStroops } from '../../../core/money.ts';
import { convertUp } from '../../../core/rate.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { rateUnit } from '../../rates/rates.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { amountAtPriceOf, type OfferRow } from './crypto-offer.ts';

/** The rail of a chain in the payment's mode. Throws `parameter_invalid` naming `chain`. */
export function cryptoRail(deps: Pick<PaymentDeps, 'crypto'>, chain: string, livemode: boolean): CryptoRail {
  const rail = deps.crypto.find(each => each.chain.id === chain && each.livemode === livemode);
  if (rail !== undefined) return rail;
  const known = cryptoRails(deps, livemode).map(each => each.chain.id);
  const taken = known.length === 0 ? 'This server is paid on no chain' : `This server is paid on ${known.join(', ')}`;
  throw new PayError('parameter_invalid', `${taken}, not on “${chain.slice(0, 40)}”.`, { param: 'chain' });
}

/** The rails of a mode. */
export function cryptoRails(deps: Pick<PaymentDeps, 'crypto'>, livemode: boolean): readonly CryptoRail[] {
  return deps.crypto.filter(rail => rail.livemode === livemode);
}

/** The asset in which the payment is settled, as wire text with its issuer. */
export function settlementAsset({ rates }: Pick<PaymentDeps, 'rates'>, payment: PaymentRow): string {
  return rateUnit(rates.asset(payment.settlement_asset, 'settlement_asset'));
}

/** The account that receives the payment: the service's, or in direct mode the merchant's own. */
export function receiverOf(
  rail: CryptoRail,
  payment: PaymentRow,
): { readonly account: string; readonly custodial: boolean } {
  return payment.settlement_mode === 'direct' && payment.settlement_address !== null
    ? { account: payment.settlement_address, custodial: false }
    : { account: rail.account, custodial: true };
}

/**
 * The assets that the receiving account accepts; in direct mode the settlement asset alone. Throws
 * `settlement_account_missing` or `settlement_no_trustline` when the merchant's account cannot receive it.
 */
export async function payableAssets(
  deps: Pick<PaymentDeps, 'rates'>,
  rail: CryptoRail,
  payment: PaymentRow,
): Promise<readonly string[]> {
  const { account, custodial } = receiverOf(rail, payment);
  if (custodial) return (await rail.chain.acceptedAssets(account)) ?? [];
  const asset = settlementAsset(deps, payment);
  await assertReceives(rail, account, asset);
  return [asset];
}

/** Refuses a merchant's account that cannot receive the asset. */
async function assertReceives(rail: CryptoRail, account: string, asset: string): Promise<void> {
  const accepted = await rail.chain.acceptedAssets(account);
  const param = { param: 'settlement_address' };
  if (accepted === null) {
    throw new PayError('settlement_account_missing', `There is no account ${account} on ${rail.chain.name}.`, param);
  }
  // An issuer can always receive its own asset.
  if (accepted.includes(asset) || asset.endsWith(`:${account}`)) return;
  throw new PayError('settlement_no_trustline', `The account ${account} cannot take ${asset.split(':')[0]}.`, param);
}

/** A payment and the prices that its payer was given. */
interface Priced {
  readonly payment: PaymentRow;
  readonly offers: readonly OfferRow[];
}

/**
 * The cost of `due` of the payment's currency in an asset, in its smallest unit, rounded up. A price given under the
 * current quote stays valid; the settlement asset has the rate of the quote. Throws `rate_unavailable`, or
 * `invalid_amount` when the chain cannot carry the amount.
 */
export async function priceIn(deps: PaymentDeps, priced: Priced, asset: string, due: bigint): Promise<bigint> {
  const amount = await amountIn(deps, priced, asset, due);
  if (amount <= mostStroops) return amount;
  const message = 'The amount is worth more of the asset than the chain can carry.';
  throw new PayError('invalid_amount', message, { param: 'asset' });
}

async function amountIn(deps: PaymentDeps, priced: Priced, asset: string, due: bigint): Promise<bigint> {
  const { payment, offers } = priced;
  const given = offers.findLast(offer => offer.asset === asset && offer.quote_id === payment.quote_id);
  if (given !== undefined) return amountAtPriceOf(given, due);
  const quoted = { numerator: payment.quote_rate_numerator, denominator: payment.quote_rate_denominator };
  if (asset === settlementAsset(deps, payment)) return convertUp(due, quoted);
  return convertUp(due, (await deps.rates.find(payment.currency, asset)).rate);
}

/**
 * Refuses a payment in direct mode that could not be paid. Its Stellar payers pay into the merchant's own account, which
 * must exist and accept the asset. A muxed account is refused, because its muxed form carries the payment's tag. Card
 * and bank payments are settled as usual. Throws a PayError naming `settlement_mode` or `settlement_address`.
 */
export async function assertDirectMode(
  deps: Pick<PaymentDeps, 'crypto' | 'rates'>,
  caller: Caller,
  body: CreatePayment,
  asset: string,
): Promise<void> {
  if (body.settlement_mode !== 'direct' || !body.payment_methods.includes('crypto')) return;
  const [rail] = cryptoRails(deps, caller.livemode);
  if (rail === undefined) {
    const message = 'Direct mode needs a chain on which this server is paid.';
    throw new PayError('parameter_invalid', message, { param: 'settlement_mode' });
  }
  const address = body.settlement_address ?? caller.merchant.stellarAddress;
  const param = { param: 'settlement_address' };
  if (address === null) {
    throw new PayError('parameter_missing', 'Direct mode needs the account that is paid: settlement_address.', param);
  }
  if (!rail.chain.isBaseAddress(address) || address === rail.account) {
    throw new PayError('invalid_address', 'In direct mode settlement_address is an account of your own (G…).', param);
  }
  await assertReceives(rail, address, asset);
}
