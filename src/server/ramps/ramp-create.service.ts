import type { CreateRamp } from '../../api/ramps/ramp.ts';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import { addSeconds } from '../../core/clock.ts';
import { isEmail } from '../../core/email.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { parseUnits } from '../../core/money.ts';
import { unitOf } from '../../core/unit.ts';
import { withCustomer } from '../payments/checkout/payment-customer.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import type { Tx } from '../platform/db/database.ts';
import { createRows } from '../platform/events/change.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { pageNamesCustomer, prepareReservation, priceTrade, readTrade } from './quote.service.ts';
import { findQuote, findTerms, useQuote } from './ramp.store.ts';
import { rampResource } from './ramp.ts';
import type { RampDeps } from './ramp-deps.ts';
import { pricedColumns } from './ramp-money.ts';
import { draftRampPayment, type RampPayment } from './ramp-payment.ts';
import { assertReachable, type RampTarget, readTarget, routeFor } from './ramp-target.ts';
import type { RampQuoteRow, RampRow } from './tables.ts';
import { askGate, type Gate, type LimitQuestion, passGate } from './terms/limit.service.ts';
import { assertOffered } from './terms/terms.ts';

/** A checked request, before its transaction. */
interface PreparedRamp {
  readonly ramp: RampRow;
  readonly quote: RampQuoteRow;
  readonly isKnownQuote: boolean;
  readonly payment: RampPayment;
}

/**
 * Prepares a ramp: checks the request, prices it and drafts its payment. The returned function creates both in the
 * caller's transaction. Without the identity check that the limits ask for, it creates the ramp alone. Throws the errors
 * of `readTrade`, `readTarget`, `askGate` and `prepareReservation`, and `quote_expired` or `quote_used`.
 */
export async function prepareRamp(
  deps: RampDeps,
  caller: Caller,
  body: CreateRamp,
): Promise<(tx: Tx) => Promise<RampRow>> {
  const customer = await readCustomer(deps, caller, body);
  const terms = await findTerms(deps.db, caller.merchant.id);
  const target = readTarget(deps, caller, body);
  if (body.return_url !== undefined) assertRedirect(body.return_url, caller.merchant, caller.livemode, 'return_url');
  const known = body.quote_id === undefined ? null : await readQuote(deps, caller, body, customer.id, terms);
  const quote = known ?? (await priceTrade(deps, caller, terms, readTrade(deps, givenBy(body), params)));
  const ramp = withRoute(deps, newRamp(caller, body, { quote, target, customer, isKnownQuote: known !== null }));
  await assertReachable(deps, caller, quote, target, ramp);
  const payment = await draftRampPayment(deps, caller, ramp);
  const gate = await askGate(deps, deps.db, terms, questionOf(ramp, caller.now));
  const reserve = known?.reserves !== true && gate.tier_needed === null ? await prepareReservation(deps, quote) : null;
  const prepared = { ramp, quote, isKnownQuote: known !== null, payment };
  return tx => createRamp(deps, tx, prepared, terms, reserve);
}

const params = { currency: 'fiat_currency', money: 'fiat_amount', asset: 'asset', coins: 'asset_amount' };

function givenBy({ direction, fiat_currency, asset, method, fiat_amount, asset_amount }: CreateRamp) {
  const missing = Object.entries({ fiat_currency, asset, method }).find(([, value]) => value === undefined)?.[0];
  if (fiat_currency === undefined || asset === undefined || method === undefined) {
    throw new PayError('parameter_missing', `${missing} is missing. Give it, or a quote_id.`, { param: missing ?? '' });
  }
  return { direction, currency: fiat_currency, asset, method, money: fiat_amount, coins: asset_amount };
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
  const isPage = caller.kind === 'publishable';
  if (isPage && id !== undefined) throw pageNamesCustomer();
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
  // A page only claims the address, so it learns nothing about the customer.
  const known = isPage ? null : await deps.findCustomer(scope, customerId);
  return { id: customerId, email, name: name ?? known?.name ?? null, country: known?.country ?? null };
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
  const isOn = quote.direction === 'on';
  const money = isOn ? quote.gross : quote.gross - quote.fee;
  const differs = {
    direction: body.direction !== quote.direction,
    fiat_currency: body.fiat_currency !== undefined && body.fiat_currency.toUpperCase() !== quote.currency,
    fiat_amount: body.fiat_amount !== undefined && BigInt(body.fiat_amount) !== money,
    asset: body.asset !== undefined && rates.unit(body.asset, 'asset') !== quote.asset,
    asset_amount: body.asset_amount !== undefined && coinsOf(body.asset_amount, quote.asset) !== quote.coins,
    method: body.method !== undefined && body.method !== quote.method,
  };
  return Object.entries(differs).find(([, isOther]) => isOther)?.[0] ?? null;
}

const coinsOf = (text: string, asset: string) => parseUnits(text, unitOf(asset).decimals);

interface RampParts {
  readonly quote: RampQuoteRow;
  readonly target: RampTarget;
  readonly customer: RampCustomer;
  readonly isKnownQuote: boolean;
}

function newRamp({ kind, merchant, livemode, now }: Caller, body: CreateRamp, parts: RampParts): RampRow {
  const { quote, target, customer, isKnownQuote } = parts;
  return {
    merchant_id: merchant.id,
    id: newId('ramp'),
    livemode,
    direction: quote.direction,
    status: 'pending_user_transfer_start',
    currency: quote.currency,
    asset: quote.asset,
    method: quote.method,
    wallet: target.wallet,
    payout_destination: target.payoutDestination,
    payout_step: 1n,
    claimable: body.claimable ?? false,
    customer_id: customer.id,
    customer_email: customer.email,
    customer_name: customer.name,
    vouched: kind !== 'publishable',
    country: customer.country,
    kyc_status: 'not_started',
    tier_needed: null,
    quote_id: isKnownQuote ? quote.id : null,
    amount_in: quote.gross,
    amount_fee: quote.fee,
    amount_out: quote.coins,
    ...priceColumns(quote),
    payment_id: null,
    payout_id: null,
    deposit: null,
    ...newColumns,
    return_url: body.return_url ?? null,
    client_reference: body.client_reference ?? null,
    metadata: body.metadata ?? {},
    status_at: now,
    created_at: now,
  };
}

/** The ramp with the step of its payout, which the fee rounds to. */
function withRoute(deps: RampDeps, ramp: RampRow): RampRow {
  const row = { ...ramp, payout_step: routeFor(deps, ramp)?.step ?? 1n };
  return ramp.direction === 'off' ? { ...row, ...pricedColumns(row) } : row;
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

/** The question of a ramp to the limits. */
export function questionOf(ramp: RampRow, now: Date): LimitQuestion {
  return {
    merchantId: ramp.merchant_id,
    livemode: ramp.livemode,
    customerId: ramp.customer_id,
    currency: ramp.currency,
    country: ramp.country,
    amount: ramp.amount_in,
    session: ramp,
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
  const opened = isOpen ? await payment.open(tx) : null;
  const row = opened === null ? waitingRamp(ramp, gate) : { ...ramp, ...gate, ...opened.set };
  await createRows(tx, rampResource, deps, 'ramp.created', [row]);
  await opened?.insert();
  return row;
}

/** Seconds until a waiting ramp is looked at for the first time: an approval may have been written meanwhile. */
const firstLookSeconds = 10;

/** A ramp that waits for the identity check of its customer, as long as a payment would wait. */
function waitingRamp(ramp: RampRow, gate: Gate): RampRow {
  return { ...ramp, ...gate, status: 'incomplete', due_at: addSeconds(ramp.created_at, firstLookSeconds) };
}
