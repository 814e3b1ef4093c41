import type { Insertable } from 'kysely';
import type { CreatePaymentLink, CustomAmount } from '../../api/link.ts';
import type { CreatePayment } from '../../api/payment.ts';
import { parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { draftPayment } from '../payments/checkout/payment-create.service.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { assertCustomAmount } from './link-amount.ts';
import type { PaymentLinksTable } from './tables.ts';

type Draft = Insertable<PaymentLinksTable>;

/** Somebody for whom a payment is drafted to see whether it could be; nothing of it is written. */
const anybody = { email: 'payer@example.com' };

/**
 * Checks a link and makes its row; nothing is written yet. It is sound when a payment could be made of it now, so that
 * no payer meets what its merchant could have been told. Throws PayError naming the wrong field.
 */
export async function draftLink(deps: PaymentDeps, caller: Caller, body: CreatePaymentLink): Promise<Draft> {
  assertAmount(body);
  const maxUses = maxUsesOf(body);
  const { starts_at: startsAt = null, expires_at: expiresAt = null } = body;
  assertTimes({ startsAt, expiresAt }, caller.now);
  const customAmount = body.custom_amount === undefined ? null : capitalised(body.custom_amount);
  const asset = body.settlement_asset ?? caller.merchant.settlementAsset;
  for (const currency of [body.currency, ...(customAmount?.currencies ?? [])]) {
    await draftPayment(deps, caller, probe(body, currency, asset));
  }
  return {
    ...{ merchant_id: caller.merchant.id, id: newId('paymentLink'), livemode: caller.livemode, status: 'active' },
    amount: body.amount === undefined ? null : BigInt(body.amount),
    currency: body.currency.toUpperCase(),
    custom_amount: customAmount === null ? null : JSON.stringify(customAmount),
    description: body.description ?? null,
    reference: body.reference ?? null,
    line_items: body.line_items === undefined ? null : JSON.stringify(body.line_items),
    payment_methods: [...(body.payment_methods ?? allMethods)],
    settlement_asset: asset,
    settlement_address: body.settlement_address ?? null,
    redirect_url: body.redirect_url ?? null,
    success_message: body.success_message ?? null,
    locale: body.locale ?? null,
    metadata: JSON.stringify(body.metadata ?? {}),
    ...{ allow_partial: body.allow_partial ?? false, max_uses: maxUses },
    starts_at: startsAt === null ? null : new Date(startsAt),
    expires_at: expiresAt === null ? null : new Date(expiresAt),
    ...{ created_by_key: caller.keyId ?? '', created_at: caller.now },
  };
}

const allMethods = ['card', 'bank_transfer', 'crypto'] as const;

function assertAmount({ amount, custom_amount: custom, allow_partial: inParts, line_items: items }: CreatePaymentLink) {
  if (amount !== undefined && custom !== undefined) {
    throw contradiction('custom_amount', 'Give amount, or custom_amount for one that the payer names; not both.');
  }
  if (amount === undefined && inParts) {
    throw contradiction('allow_partial', 'allow_partial needs amount: what the parts are of.');
  }
  if (amount === undefined && items !== undefined) {
    throw contradiction('line_items', 'line_items need amount: what they sum to.');
  }
  if (custom !== undefined) assertCustomAmount(custom);
}

/** Null: any number. A link paid in parts is for one amount unless it says otherwise. */
function maxUsesOf({ single_use: single, max_uses: most, allow_partial: inParts }: CreatePaymentLink): number | null {
  const isContradiction = most !== undefined && single !== undefined && single !== (most === 1);
  if (isContradiction) throw contradiction('max_uses', 'single_use is the same as max_uses 1. Give one of them.');
  if (most !== undefined) return most;
  return (single ?? inParts ?? false) ? 1 : null;
}

/** When a link can be paid, as the wire has it. */
export interface LinkTimes {
  readonly startsAt: string | null;
  readonly expiresAt: string | null;
}

/** Refuses times that leave no moment to pay in. */
export function assertTimes({ startsAt, expiresAt }: LinkTimes, now: Date): void {
  if (expiresAt === null) return;
  const end = Date.parse(expiresAt);
  if (end <= now.getTime()) throw contradiction('expires_at', 'expires_at must lie in the future.');
  if (startsAt !== null && Date.parse(startsAt) >= end) {
    throw contradiction('starts_at', 'starts_at must be before expires_at.');
  }
}

function capitalised(custom: CustomAmount): CustomAmount {
  if (custom.currencies === undefined) return custom;
  const currencies = custom.currencies.map((text, index) => {
    const currency = parseCurrency(text);
    if (currency !== null) return currency;
    const param = `custom_amount.currencies[${index}]`;
    throw new PayError('invalid_currency', `“${text}” is not an ISO 4217 currency code.`, { param });
  });
  return { ...custom, currencies: [...new Set(currencies)] };
}

/** A payment such as the link's payers will make. */
function probe(body: CreatePaymentLink, currency: string, settlementAsset: string): CreatePayment {
  const { min, max, preset } = body.custom_amount ?? {};
  const isOwn = currency === body.currency;
  return {
    amount: isOwn ? (body.amount ?? preset ?? max ?? min ?? probeAmount) : probeAmount,
    currency,
    settlement_asset: settlementAsset,
    settlement_network: 'stellar',
    payment_methods: [...(body.payment_methods ?? allMethods)],
    customer: anybody,
    ...(body.redirect_url !== undefined && { redirect_url: body.redirect_url }),
    ...(body.line_items !== undefined && isOwn && { line_items: body.line_items }),
    ...(body.locale !== undefined && { locale: body.locale }),
    ...(body.settlement_address !== undefined && { settlement_address: body.settlement_address }),
  };
}

/** Worth something of every asset, in every currency. */
const probeAmount = 100_000;

function contradiction(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
