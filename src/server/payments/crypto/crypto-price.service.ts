import type { CreatePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { convertUp } from '../../../core/rate.ts';
import { unitOf } from '../../../core/unit.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { settlementUnit } from '../../rates/rates.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { purposeOf } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import { amountAtPriceOf, chosenAsset, type OfferRow } from './crypto-offer.ts';

/** The rail of a chain in the payment's mode. Throws `parameter_invalid` for `chain`. */
export function cryptoRail(deps: Pick<PaymentDeps, 'crypto'>, chain: string, livemode: boolean): CryptoRail {
  const rail = deps.crypto.find(each => each.chain.id === chain && each.livemode === livemode);
  if (rail !== undefined) return rail;
  const known = cryptoRails(deps, livemode).map(each => each.chain.id);
  const taken =
    known.length === 0
      ? 'This server accepts payments on no chain'
      : `This server accepts payments on ${known.join(', ')}`;
  throw new PayError('parameter_invalid', `${taken}, not on “${chain.slice(0, 40)}”.`, { param: 'chain' });
}

export function cryptoRails(deps: Pick<PaymentDeps, 'crypto'>, livemode: boolean): readonly CryptoRail[] {
  return deps.crypto.filter(rail => rail.livemode === livemode);
}

/** The payment's settlement currency, or its asset as wire text, which includes the issuer. */
export function settlementAsset({ rates }: Pick<PaymentDeps, 'rates'>, payment: PaymentRow): string {
  return settlementUnit(rates, payment.settlement_asset);
}

/** The account that receives the payment: the service's account, or in direct mode the merchant's. */
export function receiverOf(
  rail: CryptoRail,
  payment: PaymentRow,
): { readonly account: string; readonly custodial: boolean } {
  return payment.settlement_mode === 'direct' && payment.settlement_address !== null
    ? { account: payment.settlement_address, custodial: false }
    : { account: rail.account, custodial: true };
}

/**
 * The assets that the receiving account accepts. In direct mode, only the settlement asset. In the mode `balance`, only
 * the asset of the owner's instructions, if there are any. Throws
 * `settlement_account_missing` or `settlement_no_trustline` if the merchant's account cannot receive it.
 */
export async function payableAssets(
  deps: Pick<PaymentDeps, 'rates'>,
  rail: CryptoRail,
  payment: PaymentRow,
): Promise<readonly string[]> {
  const { account, custodial } = receiverOf(rail, payment);
  if (custodial) {
    const accepted = (await rail.chain.acceptedAssets(account)) ?? [];
    const own = payment.settlement_mode === 'balance' ? chosenAsset(payment.next_action) : null;
    return own === null ? accepted : accepted.filter(asset => asset === own);
  }
  const asset = settlementAsset(deps, payment);
  await assertReceives(rail, account, asset);
  return [asset];
}

/** Throws if the merchant's account cannot receive the asset. */
async function assertReceives(rail: CryptoRail, account: string, asset: string): Promise<void> {
  const accepted = await rail.chain.acceptedAssets(account);
  const param = { param: 'settlement_address' };
  if (accepted === null) {
    throw new PayError('settlement_account_missing', `There is no account ${account} on ${rail.chain.name}.`, param);
  }
  // An issuer can always receive its own asset.
  if (accepted.includes(asset) || asset.endsWith(`:${account}`)) return;
  throw new PayError('settlement_no_trustline', `The account ${account} cannot hold ${asset.split(':')[0]}.`, param);
}

/** A payment and its crypto prices. */
interface Priced {
  readonly payment: PaymentRow;
  readonly offers: readonly OfferRow[];
}

/**
 * The cost of `due` (in the payment's currency) in smallest units of an asset, rounded up. A price given under the
 * current quote stays valid. The settlement asset has the quote's rate. Throws `rate_unavailable`, or `invalid_amount`
 * above the chain's largest amount.
 */
export async function priceIn(deps: PaymentDeps, priced: Priced, asset: string, due: bigint): Promise<bigint> {
  const amount = await amountIn(deps, priced, asset, due);
  if (amount <= unitOf(asset).most) return amount;
  const message = 'The amount in this asset would exceed the maximum amount of the chain.';
  throw new PayError('invalid_amount', message, { param: 'asset' });
}

async function amountIn(deps: PaymentDeps, priced: Priced, asset: string, due: bigint): Promise<bigint> {
  const { payment, offers } = priced;
  const given = offers.findLast(offer => offer.asset === asset && offer.quote_id === payment.quote_id);
  if (given !== undefined) return amountAtPriceOf(given, due);
  const quoted = { numerator: payment.quote_rate_numerator, denominator: payment.quote_rate_denominator };
  if (asset === settlementAsset(deps, payment)) return convertUp(due, quoted);
  const market =
    purposeOf(deps, payment)?.pricesByAmount === true
      ? await deps.rates.findFor(due, payment.currency, asset)
      : await deps.rates.find(payment.currency, asset);
  return convertUp(due, market.rate);
}

type Mode = PaymentRow['settlement_mode'];

/**
 * Checks that a direct payment can be paid. Its payers send Stellar assets to the merchant's own account, which must
 * exist and accept the asset. A muxed account is rejected, because the payment's tag needs the muxed form. Direct mode
 * does not affect cards and banks. Throws a PayError for `settlement_mode` or `settlement_address`.
 */
export async function assertDirectMode(
  deps: Pick<PaymentDeps, 'crypto' | 'rates'>,
  caller: Caller,
  body: Pick<CreatePayment, 'payment_methods' | 'settlement_address'> & { readonly settlement_mode?: Mode },
  asset: string,
): Promise<void> {
  if (body.settlement_mode !== 'direct' || !body.payment_methods.includes('crypto')) return;
  const [rail] = cryptoRails(deps, caller.livemode);
  if (rail === undefined) {
    const message = 'Direct mode needs a chain on which this server accepts payments.';
    throw new PayError('parameter_invalid', message, { param: 'settlement_mode' });
  }
  const address = body.settlement_address ?? caller.merchant.stellarAddress;
  const param = { param: 'settlement_address' };
  if (address === null) {
    throw new PayError(
      'parameter_missing',
      'Direct mode needs settlement_address, the account that payers pay.',
      param,
    );
  }
  if (!rail.chain.receive.isBaseAddress(address) || address === rail.account) {
    throw new PayError('invalid_address', 'In direct mode settlement_address must be your own account (G…).', param);
  }
  await assertReceives(rail, address, asset);
}
