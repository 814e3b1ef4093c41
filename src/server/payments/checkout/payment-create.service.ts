import type { Static } from 'typebox';
import { apiVersion } from '../../../api/event.ts';
import type { CreatePayment, Payment } from '../../../api/payment.ts';
import type { PayingCustomer } from '../../../api/schema.ts';
import { addSeconds } from '../../../core/clock.ts';
import { readCurrency } from '../../../core/currency.ts';
import { isEmail } from '../../../core/email.ts';
import { type ErrorCode, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { isLocale } from '../../../core/locale/locale.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
import { unitOf } from '../../../core/unit.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { makeQuote, type Quote, quoteColumns } from '../../quotes/quote.ts';
import { findCurrencyRate } from '../../rates/rates.ts';
import { assertDirectMode } from '../crypto/crypto-price.service.ts';
import { paymentToWire } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { type PaymentOwner, purposeOf } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import { assertLineItems } from './line-items.ts';
import { assertLiveMethod, assertTakesCurrency } from './method-choice.ts';
import { defaultColumns, type NewPayment } from './payment-create.store.ts';
import { assertRedirect } from './redirect.ts';
import { settlementChoice } from './settlement-choice.ts';

/** A requested payment whose customer is known by e-mail address. */
export type PaymentOrder = Omit<CreatePayment, 'customer' | 'settlement_mode'> & {
  readonly customer: Static<typeof PayingCustomer>;
  /** `balance` is for payments whose owner spends the money. */
  readonly settlement_mode?: Payment['settlement_mode'];
};

/** A checked and priced payment that is not stored yet. */
export interface DraftPayment {
  readonly id: string;
  readonly wire: Payment;
  readonly rows: Omit<NewPayment, 'remembered'>;
}

/** Checks and prices a requested payment. Throws a PayError that names the wrong field, or `rate_unavailable`. */
export async function draftPayment(
  deps: PaymentDeps,
  caller: Caller,
  body: PaymentOrder,
  owner: PaymentOwner | null = null,
): Promise<DraftPayment> {
  const { merchant, livemode, now } = caller;
  assertMayCreate(deps, caller, body);
  assertSettlement(body);
  assertLineItems(body, livemode);
  if (body.capture_method === 'manual' && !body.payment_methods.includes('card')) {
    throw wrong(
      'parameter_invalid',
      'capture_method',
      'Only cards can be captured later. Add card to payment_methods.',
    );
  }
  if (body.locale !== undefined && body.locale !== 'auto' && !isLocale(body.locale)) {
    throw wrong('parameter_invalid', 'locale', 'locale takes auto, or a language tag like en or ar-EG (RFC 5646).');
  }
  // Links and invoices made before their currency was withdrawn can still be paid.
  const currency = owner === null ? readCurrency(body.currency, 'currency') : body.currency;
  for (const param of ['redirect_url', 'cancel_url'] as const) {
    if (body[param] !== undefined) assertRedirect(body[param], merchant, livemode, param);
  }
  if (!isEmail(body.customer.email)) {
    const message = `“${body.customer.email.slice(0, 80)}” is not an e-mail address.`;
    throw wrong('invalid_email', 'customer.email', message);
  }
  const { unit: asset, inFiat } = settlementChoice(deps, caller, body, owner);
  await assertDirectMode(deps, caller, body, asset);
  const { rate } = await findCurrencyRate(deps.rates, { currency, asset, param: 'currency' });
  await assertTakesCurrency(deps, { livemode, currency, inFiat }, body.payment_methods);
  const sessionExpiresAt = addSeconds(now, merchant.sessionSeconds);
  const amount = BigInt(body.amount);
  const { most } = unitOf(asset);
  const quote = makeQuote({ amount, rate, most, now, seconds: merchant.quoteSeconds, sessionExpiresAt });
  const row = newPaymentRow(deps, caller, body, { currency, sessionExpiresAt, quote, owner, asset, inFiat });
  const wire = paymentToWire(deps, row);
  const event = { id: newId('event'), apiVersion, object: JSON.stringify(wire) };
  return { id: row.id, wire, rows: { row, event } };
}

function assertMayCreate(deps: PaymentDeps, caller: Caller, body: PaymentOrder): void {
  if (caller.livemode) assertLiveMethod(deps, body.payment_methods);
  if (caller.kind !== 'publishable') return;
  if (!caller.merchant.clientAmounts) {
    const message =
      'This account does not accept amounts from browsers. Create the payment on your server, or use the proxy.';
    throw wrong('amount_not_allowed', 'amount', message);
  }
  assertOwnTerms(body);
}

/** Only secret keys may set how and when the merchant is paid. All visitors of the page know the publishable key. */
function assertOwnTerms(body: PaymentOrder): void {
  for (const param of ['settlement_address', 'settlement_mode', 'capture_method'] as const) {
    if (body[param] === undefined) continue;
    const message = `${param} needs a secret key, from your server. Payments created in browsers use the account’s settings.`;
    throw wrong('secret_key_required', param, message);
  }
}

function assertSettlement({ settlement_network: network, settlement_address: address }: PaymentOrder): void {
  if (network !== 'stellar') {
    const message = 'Payments are settled on `stellar` only.';
    throw wrong('settlement_network_unsupported', 'settlement_network', message);
  }
  if (address !== undefined && !isStellarAddress(address)) {
    const message = 'settlement_address must be a Stellar account (G…) or muxed account (M…).';
    throw wrong('invalid_address', 'settlement_address', message);
  }
}

function wrong(code: ErrorCode, param: string, message: string): PayError {
  return new PayError(code, message, { param });
}

interface Checked {
  readonly currency: string;
  readonly sessionExpiresAt: Date;
  readonly quote: Quote;
  readonly owner: PaymentOwner | null;
  /** The settlement unit: a currency, or an asset's wire text. */
  readonly asset: string;
  readonly inFiat: boolean;
}

function newPaymentRow(deps: PaymentDeps, caller: Caller, body: PaymentOrder, checked: Checked): PaymentRow {
  const { merchant, livemode, now } = caller;
  const { quote, owner, inFiat } = checked;
  return {
    merchant_id: merchant.id,
    id: newId('payment'),
    livemode,
    amount: BigInt(body.amount),
    currency: checked.currency,
    description: body.description ?? null,
    reference: body.reference ?? null,
    line_items: body.line_items ?? null,
    locale: body.locale === 'auto' ? null : (body.locale ?? null),
    settlement_asset: inFiat ? checked.asset : body.settlement_asset,
    settlement_in_fiat: inFiat,
    settlement_address: inFiat ? null : (body.settlement_address ?? merchant.stellarAddress),
    settlement_mode: body.settlement_mode ?? 'custodial',
    payment_methods: [...body.payment_methods],
    capture_method: body.capture_method ?? 'automatic',
    customer_id: deps.secrets.customerId(merchant.id, livemode, body.customer.email),
    customer_email: body.customer.email,
    customer_name: body.customer.name ?? null,
    receipts: wantsReceipt(deps, caller, body, owner),
    metadata: body.metadata ?? {},
    redirect_url: body.redirect_url ?? null,
    cancel_url: body.cancel_url ?? null,
    ...quoteColumns(quote),
    session_expires_at: checked.sessionExpiresAt,
    owner_type: owner?.type ?? null,
    owner_id: owner?.id ?? null,
    created_via: caller.kind === 'publishable' ? 'client' : 'server',
    created_by_key: caller.keyId ?? '',
    created_at: now,
    status: 'pending',
    phase: 'awaiting_payer',
    ...defaultColumns,
  };
}

/** Whether the payer gets a receipt by mail. False if the payment's purpose mails its own receipts. */
function wantsReceipt(
  deps: PaymentDeps,
  { merchant }: Caller,
  { receipts }: PaymentOrder,
  owner: PaymentOwner | null,
): boolean {
  const purpose = owner && purposeOf(deps, { owner_type: owner.type });
  return purpose?.mailsReceipts !== true && (receipts ?? merchant.receipts);
}
