import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { NextAction } from '../../../api/payment.ts';
import { formatUnits } from '../../../core/money.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { leftUnder, type OfferRow, receivedOf } from './crypto-offer.ts';
import type { TargetRow } from './deposit.store.ts';

/** A payer who is to pay on a chain: where, for whom, and at what price. */
export interface CryptoAsked {
  readonly chain: Chain;
  readonly target: TargetRow;
  /** All prices that were given on the chain. */
  readonly offers: readonly OfferRow[];
  readonly merchant: Pick<Merchant, 'name'>;
  /** The asset in which the payer was told to pay last; null: whichever was priced last. */
  readonly asset: string | null;
  /** What is due, in minor units of the payment's currency. */
  readonly due: bigint;
}

/** The asset in which the payer was told to pay last; null when that was not on a chain. */
export function toldAsset(action: NextAction | null): string | null {
  return action?.type === 'crypto_transfer' ? action.asset : null;
}

/** The price that the payer is shown: the newest, in the asset if one is named. */
export function shownOffer(all: readonly OfferRow[], asset: string | null): OfferRow | null {
  const offers = asset === null ? all : all.filter(offer => offer.asset === asset);
  return offers.reduce<OfferRow | null>(
    (last, offer) => (last !== null && last.number > offer.number ? last : offer),
    null,
  );
}

/** What the payer is told to send where (wire contract §2, `next_action`); null when no price was ever given. */
export function cryptoAction({
  chain,
  target,
  offers,
  merchant,
  due,
  asset: told,
}: CryptoAsked): CryptoTransfer | null {
  const offer = shownOffer(offers, told);
  if (offer === null) return null;
  const { asset } = offer;
  const left = leftUnder(offer, due);
  const received = receivedOf(offers, asset);
  const place = chain.newDepositTarget(target.account, String(target.tag));
  const message = `Payment to ${merchant.name}`;
  const uri = chain.paymentUri({ target: place, asset, amount: left, message });
  const decimals = chain.decimals(asset);
  return {
    type: 'crypto_transfer',
    chain: chain.id,
    asset,
    address: place.address,
    base_address: place.baseAddress,
    memo: place.memo,
    memo_type: place.memoType,
    amount: formatUnits(left, decimals),
    amount_received: formatUnits(received, decimals),
    uri,
    qr: { format: chain.uriFormat, payload: uri },
    confirmations: received > 0n ? chain.requiredConfirmations : 0,
    required_confirmations: chain.requiredConfirmations,
    expires_at: offer.expires_at.toISOString(),
  };
}
