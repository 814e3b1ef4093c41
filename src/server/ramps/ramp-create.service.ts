import type { CreateRamp } from '../../api/ramps/ramp.ts';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import { addSeconds } from '../../core/clock.ts';
import { isEmail } from '../../core/email.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { unitText } from '../../core/unit.ts';
import { draftPayment } from '../payments/checkout/payment-create.service.ts';
import { withCustomer } from '../payments/checkout/payment-customer.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import { cryptoRail } from '../payments/crypto/crypto-price.service.ts';
import { createPayments } from '../payments/payment-change.ts';
import { readDestination } from '../payments/refunds/refund.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import { createRows } from '../platform/events/change.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { prepareReservation, pricePurchase, readPurchase } from './quote.service.ts';
import { findQuote, findTerms, useQuote } from './ramp.store.ts';
import { rampPurpose, rampResource } from './ramp.ts';
import type { RampDeps } from './ramp-deps.ts';
import type { RampQuoteRow, RampRow, RampWallet } from './tables.ts';
import { askGate, type Gate, type LimitQuestion, passGate } from './terms/limit.service.ts';
import { assertOffered } from './terms/terms.ts';

/** A checked request, before its transaction. */
interface PreparedRamp {
  readonly ramp: RampRow;
  readonly quote: RampQuoteRow;
  readonly isKnownQuote: boolean;
  readonly payment: PaymentRow;
}

/**
 * Prepares a ramp: checks the request, prices it and drafts its payment. The returned function creates both in the
 * caller's transaction. Without the identity check that the limits ask for, it creates the ramp alone. Throws the errors
 * of `readPurchase`, `askGate` and `prepareReservation`, and `quote_expired` or `quote_used`.
 */
export async function prepareRamp(
  deps: RampDeps,
  caller: Caller,
  body: CreateRamp,
): Promise<(tx: Tx) => Promise<RampRow>> {
  const customer = await readCustomer(deps, caller, body);
  const terms = await findTerms(deps.db, caller.merchant.id);
  const wallet = readWallet(deps, caller, body);
  if (body.return_url !== undefined) assertRedirect(body.return_url, caller.merchant, caller.livemode, 'return_url');
  const known = body.quote_id === undefined ? null : await readQuote(deps, caller, body, customer.id, terms);
  const quote = known ?? (await pricePurchase(deps, caller, terms, readPurchase(deps, givenBy(body), params)));
  const ramp = newRamp(caller, body, { quote, wallet, customer, isKnownQuote: known !== null });
  const payment = await draftRampPayment(deps, caller, ramp);
  const gate = await askGate(deps, deps.db, terms, questionOf(ramp, caller.now));
  await assertReceives(deps, caller, quote, wallet);
  const reserve = known === null && gate.tier_needed === null ? await prepareReservation(deps, quote) : null;
  const prepared = { ramp, quote, isKnownQuote: known !== null, payment };
  return tx => createRamp(deps, tx, prepared, terms, reserve);
}

const params = { currency: 'fiat_currency', gross: 'fiat_amount', asset: 'asset', coins: 'asset_amount' };

function givenBy({ fiat_currency, asset, method, fiat_amount, asset_amount }: CreateRamp) {
  const missing = Object.entries({ fiat_currency, asset, method }).find(([, value]) => value === undefined)?.[0];
  if (fiat_currency === undefined || asset === undefined || method === undefined) {
    throw new PayError('parameter_missing', `${missing} is missing. Give it, or a quote_id.`, { param: missing ?? '' });
  }
  return { currency: fiat_currency, asset, method, gross: fiat_amount, coins: asset_amount };
}

interface RampCustomer {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly country: string | null;
}

/** The customer of `customer_id` or `customer`. Throws a PayError that names the wrong field. */
async function readCustomer(deps: RampDeps, caller: Caller, body: CreateRamp): Promise<RampCustomer> {
  const { customer_id: id, customer: given } = body;
  if ((id === undefined) === (given === undefined)) {
    const message = 'Give customer_id, or customer with an e-mail address.';
    throw new PayError('parameter_missing', message, { param: 'customer_id' });
  }
  const scope = scopeOf(caller);
  if (id !== undefined) {
    const known = await deps.findCustomer(scope, id);
    if (known !== null) return { id, ...known };
    throw new PayError('resource_missing', `No customer ${id} exists. Check the id.`, { param: 'customer_id' });
  }
  const { customer } = await withCustomer(deps, caller, { customer: given ?? { id: '' } });
  const { email, name = null } = customer;
  if (!isEmail(email)) {
    throw new PayError('invalid_email', `“${email.slice(0, 80)}” is not an e-mail address.`, {
      param: 'customer.email',
    });
  }
  const customerId = deps.secrets.customerId(scope.merchantId, scope.livemode, email);
  const known = await deps.findCustomer(scope, customerId);
  return { id: customerId, email, name: name ?? known?.name ?? null, country: known?.country ?? null };
}

/** The wallet in the chain's fields. Throws `invalid_address` or `parameter_invalid` and names the field. */
function readWallet(deps: RampDeps, { livemode }: Caller, { wallet, claimable }: CreateRamp): RampWallet {
  const { address, memo, memo_type: memoType } = wallet;
  const fields = { address, ...(memo != null && { memo }), ...(memoType != null && { memo_type: memoType }) };
  const read = readDestination(cryptoRail(deps, treasuryRail, livemode).chain, fields, 'wallet');
  if (claimable === true && 'memo' in read) {
    const message = 'A claimable balance has no memo. Leave out wallet.memo, or claimable.';
    throw new PayError('parameter_invalid', message, { param: 'claimable' });
  }
  return read;
}

/** Faults of a wallet that its owner cannot mend after the payment. */
const lastingFaults: ReadonlySet<string> = new Set(['memo_required', 'own_account', 'invalid_destination']);

/** Throws `invalid_address` for a wallet that can never get the coins. A missing trustline may still come. */
async function assertReceives(
  deps: RampDeps,
  { livemode }: Caller,
  { asset, coins: amount }: RampQuoteRow,
  destination: RampWallet,
): Promise<void> {
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

/** The open quote of the request. Throws if it cannot be used, or has other terms than the request. */
async function readQuote(
  deps: RampDeps,
  caller: Caller,
  body: CreateRamp,
  customerId: string,
  terms: RampTerms,
): Promise<RampQuoteRow> {
  const quote = await findQuote(deps.db, scopeOf(caller), body.quote_id ?? '');
  const isForeign = quote !== null && quote.customer_id !== null && quote.customer_id !== customerId;
  if (quote === null || isForeign) {
    const message = `No quote ${body.quote_id?.slice(0, 64)} exists for this customer. Check the id.`;
    throw new PayError('resource_missing', message, { param: 'quote_id' });
  }
  assertUsable(quote, caller.now);
  assertOffered(terms, quote);
  const other = differingField(deps, body, quote);
  if (other === null) return quote;
  throw new PayError('parameter_invalid', `${other} differs from the quote. Leave it out, or make another quote.`, {
    param: other,
  });
}

function assertUsable({ ramp_id: rampId, expires_at }: RampQuoteRow, now: Date): void {
  const param = { param: 'quote_id' };
  if (rampId !== null) throw new PayError('quote_used', `The quote was used by ${rampId}. Make another one.`, param);
  if (now >= expires_at) throw new PayError('quote_expired', 'The quote has expired. Make another one.', param);
}

function differingField({ rates }: RampDeps, body: CreateRamp, quote: RampQuoteRow): string | null {
  const differs = {
    fiat_currency: body.fiat_currency !== undefined && body.fiat_currency.toUpperCase() !== quote.currency,
    fiat_amount: body.fiat_amount !== undefined && BigInt(body.fiat_amount) !== quote.gross,
    asset: body.asset !== undefined && rates.unit(body.asset, 'asset') !== quote.asset,
    asset_amount: body.asset_amount !== undefined,
    method: body.method !== undefined && body.method !== quote.method,
  };
  return Object.entries(differs).find(([, isOther]) => isOther)?.[0] ?? null;
}

interface RampParts {
  readonly quote: RampQuoteRow;
  readonly wallet: RampWallet;
  readonly customer: RampCustomer;
  readonly isKnownQuote: boolean;
}

function newRamp({ merchant, livemode, now }: Caller, body: CreateRamp, parts: RampParts): RampRow {
  const { quote, wallet, customer, isKnownQuote } = parts;
  return {
    merchant_id: merchant.id,
    id: newId('ramp'),
    livemode,
    status: 'pending_user_transfer_start',
    currency: quote.currency,
    asset: quote.asset,
    method: quote.method,
    wallet,
    claimable: body.claimable ?? false,
    customer_id: customer.id,
    customer_email: customer.email,
    customer_name: customer.name,
    country: customer.country,
    kyc_status: 'not_started',
    tier_needed: null,
    quote_id: isKnownQuote ? quote.id : null,
    amount_in: quote.gross,
    amount_fee: quote.fee,
    amount_out: quote.coins,
    ...priceColumns(quote),
    payment_id: null,
    ...newColumns,
    return_url: body.return_url ?? null,
    client_reference: body.client_reference ?? null,
    metadata: body.metadata ?? {},
    status_at: now,
    created_at: now,
  };
}

/** The columns of a ramp without money. */
const newColumns = {
  amount_refunded: 0n,
  amount_disputed: 0n,
  amount_delivered: 0n,
  at_market: false,
  deliveries: 0,
  delivery: null,
  tx_hash: null,
  ledger: null,
  failure_code: null,
  failure_message: null,
  tries: 0,
  due_at: null,
  version: 1,
  event_sequence: 1,
  paid_at: null,
  completed_at: null,
} as const;

/** The price of a quote as columns of a ramp. */
export function priceColumns(quote: RampQuoteRow) {
  return {
    fee_basis_points: quote.fee_basis_points,
    fee_fixed: quote.fee_fixed,
    rate_numerator: quote.rate_numerator,
    rate_denominator: quote.rate_denominator,
    price_expires_at: quote.expires_at,
  };
}

/**
 * Drafts the payment of a ramp, whose money stays in the balance for the delivery. Its price is the ramp's: the payment
 * itself converts nothing. Throws if no rail takes the method in this currency.
 */
export async function draftRampPayment(deps: RampDeps, caller: Caller, ramp: RampRow): Promise<PaymentRow> {
  const { rows } = await draftPayment(
    deps,
    caller,
    {
      amount: Number(ramp.amount_in),
      currency: ramp.currency,
      settlement_asset: ramp.currency,
      settlement_network: 'stellar',
      settlement_mode: 'balance',
      description: purchaseText(ramp),
      payment_methods: [ramp.method],
      customer: { email: ramp.customer_email, ...(ramp.customer_name !== null && { name: ramp.customer_name }) },
      ...(ramp.client_reference !== null && { reference: ramp.client_reference }),
      ...(ramp.return_url !== null && { redirect_url: ramp.return_url }),
    },
    { type: rampPurpose, id: ramp.id },
  );
  return rows.row;
}

/** What the payer sees as the purchase, in every language: `25.0000000 USDC → GA7QYN…JVSGZ`. */
function purchaseText({ amount_out: coins, asset, wallet: { address } }: RampRow): string {
  return `${unitText(coins, asset)} ${asset.split(':')[0]} → ${address.slice(0, 6)}…${address.slice(-5)}`;
}

/** The question of a ramp to the limits. */
export function questionOf(ramp: RampRow, now: Date): LimitQuestion {
  return {
    merchantId: ramp.merchant_id,
    livemode: ramp.livemode,
    customerId: ramp.customer_id,
    currency: ramp.currency,
    country: ramp.country,
    amount: ramp.amount_in,
    now,
  };
}

async function createRamp(
  deps: RampDeps,
  tx: Tx,
  { ramp, quote, isKnownQuote, payment }: PreparedRamp,
  terms: RampTerms,
  reserve: ((tx: Tx) => Promise<void>) | null,
): Promise<RampRow> {
  const now = ramp.created_at;
  if (isKnownQuote) {
    const { merchant_id: merchantId, livemode } = quote;
    const locked = await findQuote(tx, { merchantId, livemode }, quote.id, 'lock');
    if (locked !== null) assertUsable(locked, now);
    await useQuote(tx, quote, ramp.id);
  }
  const gate = await passGate(deps, tx, terms, questionOf(ramp, now));
  if (gate.kyc_status === 'rejected') {
    const message = 'The identity check of the customer was rejected. The customer cannot ramp.';
    throw new PayError('operation_not_allowed', message, { param: 'customer_id' });
  }
  const isOpen = gate.tier_needed === null;
  if (isOpen) await reserve?.(tx);
  const row = isOpen ? { ...ramp, ...gate, payment_id: payment.id } : waitingRamp(ramp, gate);
  await createRows(tx, rampResource, deps, 'ramp.created', [row]);
  if (isOpen) await createPayments(tx, deps, [payment]);
  return row;
}

/** Seconds until a waiting ramp is looked at for the first time: an approval may have been written meanwhile. */
const firstLookSeconds = 10;

/** A ramp that waits for the identity check of its customer, as long as a payment would wait. */
function waitingRamp(ramp: RampRow, gate: Gate): RampRow {
  return { ...ramp, ...gate, status: 'incomplete', due_at: addSeconds(ramp.created_at, firstLookSeconds) };
}
