import type { Ramp, RampQuote } from '../../api/ramps/ramp.ts';
import { addSeconds } from '../../core/clock.ts';
import { formatUnits } from '../../core/money.ts';
import { formatRate } from '../../core/rate.ts';
import { unitOf, unitText } from '../../core/unit.ts';
import { checkoutUrl, type ViewContext } from '../payments/payment.view.ts';
import { payableOf } from './ramp-money.ts';
import type { RampQuoteRow, RampRow } from './tables.ts';

/** Seconds that each state of the service should take at most. States without an entry wait for a person. */
const usualSeconds: Readonly<Partial<Record<RampRow['status'], number>>> = { pending_anchor: 30, pending_stellar: 60 };

/** When the ramp's state should end, or null. */
export function etaOf({ status, status_at }: Pick<RampRow, 'status' | 'status_at'>): Date | null {
  const seconds = usualSeconds[status];
  return seconds === undefined ? null : addSeconds(status_at, seconds);
}

/** Whole units of currency for one whole unit of the asset. The rate is from minor units to the asset's smallest units. */
function priceText(
  currency: string,
  asset: string,
  rate: { readonly numerator: bigint; readonly denominator: bigint },
) {
  const back = { numerator: rate.denominator, denominator: rate.numerator };
  return formatRate(back, unitOf(asset).decimals, unitOf(currency).decimals);
}

/** The ramp in its wire form, also for events. */
export function rampToWire(context: ViewContext, row: RampRow): Ramp {
  const rate = { numerator: row.rate_numerator, denominator: row.rate_denominator };
  return {
    id: row.id,
    object: 'ramp',
    direction: row.direction,
    status: row.status,
    kyc_status: row.kyc_status,
    kyc_tier_needed: row.tier_needed,
    customer_id: row.customer_id,
    method: row.method,
    chain: 'stellar',
    wallet: walletOf(row),
    payout_destination: row.payout_destination,
    claimable: row.claimable,
    fiat_currency: row.currency,
    asset: row.asset,
    ...amountsOf(row),
    price: priceText(row.currency, row.asset, rate),
    quote_id: row.quote_id,
    price_expires_at: row.price_expires_at.toISOString(),
    payment: row.payment_id,
    deposit: depositOf(context, row),
    payout: row.payout_id,
    delivery: row.delivery,
    tx_hash: row.tx_hash,
    ledger: row.ledger,
    status_eta_at: etaOf(row)?.toISOString() ?? null,
    failure: row.failure_code === null ? null : { code: row.failure_code, message: row.failure_message ?? '' },
    return_url: row.return_url,
    client_reference: row.client_reference,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

function walletOf({ wallet }: RampRow): Ramp['wallet'] {
  return wallet && { address: wallet.address, memo: wallet['memo'] ?? null, memo_type: wallet['memo_type'] ?? null };
}

/** What a sale pays out. Money that counts after the payout began stays with the merchant. */
const paidOutOf = (row: RampRow) =>
  row.amount_delivered > 0n ? row.amount_delivered - row.amount_fee : payableOf(row);

function amountsOf(row: RampRow) {
  const coins = unitText(row.amount_out, row.asset);
  const [amount_in, amount_out] =
    row.direction === 'on' ? [Number(row.amount_in), coins] : [coins, Number(paidOutOf(row))];
  return {
    amount_in,
    amount_fee: Number(row.amount_fee),
    amount_out,
    refunds: { amount_refunded: Number(row.amount_refunded) },
    amount_disputed: Number(row.amount_disputed),
  };
}

function depositOf(context: ViewContext, row: RampRow): Ramp['deposit'] {
  const { payment_id: id, merchant_id } = row;
  if (row.status !== 'pending_user_transfer_start' || id === null) return null;
  const checkout_url = checkoutUrl(context, { merchant_id, id });
  if (row.deposit !== null) return { ...row.deposit, checkout_url };
  return { amount: Number(row.amount_in), currency: row.currency, checkout_url };
}

/**
 * The quote in its wire form (SEP-38). A purchase: `sell.amount` = `price` × `buy.amount` + `fee.total`. A sale:
 * `buy.amount` = `price` × `sell.amount` − `fee.total`.
 */
export function quoteToWire(row: RampQuoteRow): RampQuote {
  const { direction, currency, asset, gross, fee, coins } = row;
  const isOn = direction === 'on';
  const priceFor = (money: bigint) => priceText(currency, asset, { numerator: coins, denominator: money });
  const money = { currency, amount: Number(isOn ? gross : gross - fee) };
  const sold = { asset, amount: unitText(coins, asset) };
  return {
    id: row.id,
    object: 'ramp_quote',
    direction,
    sell: isOn ? money : sold,
    buy: isOn ? sold : money,
    method: row.method,
    price: priceFor(isOn ? gross - fee : gross),
    total_price: priceFor(isOn ? gross : gross - fee),
    fee: { total: Number(fee), currency, details: feeDetails(row) },
    customer_id: row.customer_id,
    ramp: row.ramp_id,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

function feeDetails({ fee, fee_basis_points: points, fee_fixed: fixed }: RampQuoteRow) {
  const share = fee > fixed ? fee - fixed : 0n;
  const percent = formatUnits(BigInt(points), 2).replace(/\.?0+$/, '');
  return [
    { name: `Service fee (${percent} %)`, amount: Number(share) },
    { name: 'Fixed fee', amount: Number(fee - share) },
  ].filter(({ amount }) => amount > 0);
}
