import { apiVersion } from '../../../api/event.ts';
import type { CreatePayment, Payment } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { parseCurrency } from '../../../core/currency.ts';
import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { isLocale } from '../../../core/locale/locale.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { makeQuote, type Quote } from '../../quotes/quote.ts';
import { rateUnit } from '../../rates/rates.ts';
import { assertDirectMode, cryptoRails } from '../crypto/crypto-price.service.ts';
import { type PaymentRow, paymentToWire } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentOwner } from '../payment-purpose.ts';
import type { NewPayment } from './payment-create.store.ts';
import { assertRedirect } from './redirect.ts';

/** A payment that was checked and priced, and is not written yet. */
export interface DraftPayment {
  readonly id: string;
  readonly wire: Payment;
  readonly written: Omit<NewPayment, 'remembered'>;
}

/**
 * Checks the request for a payment and prices it; nothing is written. Throws a PayError that names the wrong field, or
 * `rate_unavailable` when no sound rate is known.
 */
export async function draftPayment(
  deps: PaymentDeps,
  caller: Caller,
  body: CreatePayment,
  owner: PaymentOwner | null = null,
): Promise<DraftPayment> {
  const { merchant, now } = caller;
  assertMayCreate(deps, caller, body);
  assertSettlement(body);
  assertLineItems(body);
  assertLocale(body);
  const currency = currencyOf(body);
  const redirectUrl = redirectOf(body, merchant, caller.livemode);
  if (!isEmail(body.customer.email)) {
    throw new PayError('invalid_email', `“${body.customer.email.slice(0, 80)}” is not an e-mail address.`, {
      param: 'customer.email',
    });
  }
  const asset = deps.rates.asset(body.settlement_asset, 'settlement_asset');
  await assertDirectMode(deps, caller, body, rateUnit(asset));
  const market = await deps.rates.find(currency, rateUnit(asset));
  const sessionExpiresAt = addSeconds(now, merchant.sessionSeconds);
  const amount = BigInt(body.amount);
  const quote = makeQuote({
    amount,
    rate: market.rate,
    now,
    seconds: merchant.quoteSeconds,
    sessionExpiresAt,
  });
  const row = newPaymentRow(deps, caller, body, { currency, redirectUrl, sessionExpiresAt, quote, owner });
  const wire = paymentToWire(deps, row);
  const event = { id: newId('event'), apiVersion, object: JSON.stringify(wire) };
  return { id: row.id, wire, written: { row, event } };
}

function assertMayCreate(deps: PaymentDeps, caller: Caller, body: CreatePayment): void {
  if (caller.livemode) assertLiveMethod(deps, body);
  if (caller.kind === 'publishable' && !caller.merchant.clientAmounts) {
    throw new PayError(
      'amount_not_allowed',
      'This account does not take amounts from browsers. Create the payment on your server, or use the proxy.',
      { param: 'amount' },
    );
  }
  if (caller.kind === 'publishable') assertOwnSettlement(body);
}

/** Only the merchant decides where the money goes. Every visitor of the page has the publishable key. */
function assertOwnSettlement(body: CreatePayment): void {
  for (const param of ['settlement_address', 'settlement_mode'] as const) {
    if (body[param] === undefined) continue;
    const message = `${param} needs a secret key, from your server. Payments made in browsers are settled as the account says.`;
    throw new PayError('secret_key_required', message, { param });
  }
}

/** In live mode a payment must include crypto, the only real method. The sandbox simulates cards and banks. */
function assertLiveMethod(deps: PaymentDeps, body: CreatePayment): void {
  const isReal = cryptoRails(deps, true).length > 0;
  if (isReal && body.payment_methods.includes('crypto')) return;
  if (!isReal) {
    const message = 'This server takes no real money. Use a test key (sk_test_… or pk_test_…).';
    throw new PayError('live_mode_unavailable', message);
  }
  const message = 'This server takes real money by crypto only. Add crypto to payment_methods.';
  throw new PayError('live_mode_unavailable', message, { param: 'payment_methods' });
}

function assertSettlement(body: CreatePayment): void {
  if (body.settlement_network !== 'stellar') {
    throw new PayError('settlement_network_unsupported', 'Payments are settled on `stellar` only.', {
      param: 'settlement_network',
    });
  }
  const address = body.settlement_address;
  if (address !== undefined && !isStellarAddress(address)) {
    throw new PayError('invalid_address', 'settlement_address must be a Stellar account (G…) or muxed account (M…).', {
      param: 'settlement_address',
    });
  }
}

function assertLineItems(body: CreatePayment): void {
  if (body.line_items === undefined) return;
  const sum = body.line_items.reduce((total, item) => total + BigInt(item.amount), 0n);
  if (sum !== BigInt(body.amount)) {
    throw new PayError(
      'line_items_mismatch',
      `The line items sum to ${sum}, the amount is ${body.amount}. They must be equal.`,
      {
        param: 'line_items',
      },
    );
  }
}

function assertLocale({ locale }: CreatePayment): void {
  if (locale === undefined || isLocale(locale)) return;
  throw new PayError('parameter_invalid', 'locale takes a language tag like en or pt-BR (RFC 5646).', {
    param: 'locale',
  });
}

function currencyOf(body: CreatePayment): string {
  const currency = parseCurrency(body.currency);
  if (currency === null) {
    throw new PayError('invalid_currency', `“${body.currency}” is not an ISO 4217 currency code.`, {
      param: 'currency',
    });
  }
  return currency;
}

function redirectOf(body: CreatePayment, merchant: Merchant, livemode: boolean): string | null {
  if (body.redirect_url === undefined) return null;
  assertRedirect(body.redirect_url, merchant, livemode, 'redirect_url');
  return body.redirect_url;
}

interface Checked {
  readonly currency: string;
  readonly redirectUrl: string | null;
  readonly sessionExpiresAt: Date;
  readonly quote: Quote;
  readonly owner: PaymentOwner | null;
}

function newPaymentRow(deps: PaymentDeps, caller: Caller, body: CreatePayment, checked: Checked): PaymentRow {
  const { merchant, livemode, now } = caller;
  const { quote, owner } = checked;
  return {
    merchant_id: merchant.id,
    id: newId('payment'),
    livemode,
    amount: BigInt(body.amount),
    currency: checked.currency,
    description: body.description ?? null,
    reference: body.reference ?? null,
    line_items: body.line_items ?? null,
    locale: body.locale ?? null,
    settlement_asset: body.settlement_asset,
    settlement_address: body.settlement_address ?? merchant.stellarAddress,
    settlement_mode: body.settlement_mode ?? 'custodial',
    payment_methods: [...body.payment_methods],
    customer_id: deps.secrets.customerId(merchant.id, livemode, body.customer.email),
    customer_email: body.customer.email,
    customer_name: body.customer.name ?? null,
    metadata: body.metadata ?? {},
    redirect_url: checked.redirectUrl,
    quote_id: quote.id,
    quote_amount: quote.settlementAmount,
    quote_rate_numerator: quote.rate.numerator,
    quote_rate_denominator: quote.rate.denominator,
    expires_at: quote.expiresAt,
    session_expires_at: checked.sessionExpiresAt,
    owner_type: owner?.type ?? null,
    owner_id: owner?.id ?? null,
    created_via: caller.kind === 'publishable' ? 'client' : 'server',
    created_by_key: caller.keyId ?? '',
    created_at: now,
    ...untouched,
  };
}

/** Columns that are the same for each new payment. */
const untouched = {
  status: 'pending',
  phase: 'awaiting_payer',
  exception: null,
  amount_received: 0n,
  amount_refunded: 0n,
  amount_refunding: 0n,
  amount_suspense: 0n,
  amount_direct: 0n,
  quoted_at: null,
  settlement_status: 'none',
  settlement_tx_hash: null,
  settlement_ledger: null,
  settlement_amount: 0n,
  settlement_delivery: null,
  settlement_failure_code: null,
  settlement_failure_message: null,
  settlement_count: 0,
  settlement_tries: 0,
  settlement_due_at: null,
  amount_settling: 0n,
  amount_settled: 0n,
  amount_receivable: 0n,
  method: null,
  bank_rail: null,
  next_action: null,
  last_attempt: null,
  declined_attempts: 0,
  failure_code: null,
  failure_message: null,
  disputed: false,
  version: 1,
  event_sequence: 1,
  completed_at: null,
} as const;
