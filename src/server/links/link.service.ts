import type { CreatePaymentLink, CustomAmount, UpdatePaymentLink } from '../../api/link.ts';
import { parseCurrency, readCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { draftPayment, type PaymentOrder } from '../payments/checkout/payment-create.service.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { findCurrencyRate, settlementUnit } from '../rates/rates.ts';
import { changeLink, findLink, type LinkDraft, type LinkKey, linkMissing, lockLink } from './link.store.ts';
import { isOver, type LinkRow } from './link.ts';
import type { LinkViewContext } from './link.view.ts';

const allMethods = ['card', 'bank_transfer', 'crypto', 'mobile_money'] as const;

/**
 * Checks a new link and returns its row without writing it. Also drafts a payment in each currency, so that the
 * merchant gets errors that payers would otherwise get. Throws a PayError that names the wrong field.
 */
export async function draftLink(deps: PaymentDeps, caller: Caller, body: CreatePaymentLink): Promise<LinkDraft> {
  assertAmount(body);
  const maxUses = maxUsesOf(body);
  const startsAt = momentOf(body.starts_at ?? null);
  const expiresAt = momentOf(body.expires_at ?? null);
  assertTimes(startsAt, expiresAt, caller.now);
  const customAmount = body.custom_amount === undefined ? null : readCurrencies(body.custom_amount);
  const asset = body.settlement_asset ?? caller.merchant.settlementAsset;
  await draftPayment(deps, caller, trialPayment(body, body.currency, asset));
  for (const [index, currency] of (customAmount?.currencies ?? []).entries()) {
    const unit = settlementUnit(deps.rates, asset);
    await findCurrencyRate(deps.rates, { currency, asset: unit, param: `custom_amount.currencies[${index}]` });
    await draftPayment(deps, caller, trialPayment(body, currency, asset));
  }
  return {
    merchant_id: caller.merchant.id,
    id: newId('paymentLink'),
    livemode: caller.livemode,
    amount: body.amount === undefined ? null : BigInt(body.amount),
    currency: body.currency.toUpperCase(),
    custom_amount: customAmount,
    description: body.description ?? null,
    reference: body.reference ?? null,
    line_items: body.line_items ?? null,
    payment_methods: [...(body.payment_methods ?? allMethods)],
    settlement_asset: parseCurrency(asset) ?? asset,
    settlement_address: body.settlement_address ?? null,
    redirect_url: body.redirect_url ?? null,
    success_message: body.success_message ?? null,
    locale: body.locale === 'auto' ? null : (body.locale ?? null),
    metadata: body.metadata ?? {},
    allow_partial: body.allow_partial ?? false,
    max_uses: maxUses,
    starts_at: startsAt,
    expires_at: expiresAt,
    created_by_key: caller.keyId ?? '',
    created_at: caller.now,
  };
}

function assertAmount({ amount, custom_amount: custom, allow_partial: inParts, line_items: items }: CreatePaymentLink) {
  if (amount !== undefined && custom !== undefined) {
    throw contradiction('custom_amount', 'Give amount, or custom_amount if the payer chooses it; not both.');
  }
  if (amount === undefined && inParts) {
    throw contradiction('allow_partial', 'allow_partial needs amount: the total of the parts.');
  }
  if (amount === undefined && items !== undefined) {
    throw contradiction('line_items', 'line_items need amount: the sum of the items.');
  }
  if (custom !== undefined) assertCustomAmount(custom);
}

/** Rejects bounds and presets that contradict each other. Throws `amount_out_of_range` with the wrong field. */
function assertCustomAmount({ min = 1, max, preset, presets = [] }: CustomAmount): void {
  const wrong = (field: string, message: string) =>
    new PayError('amount_out_of_range', message, { param: `custom_amount.${field}` });
  if (max !== undefined && max < min) throw wrong('max', 'custom_amount.max must not be below custom_amount.min.');
  const isOutside = (amount: number) => amount < min || (max !== undefined && amount > max);
  if (preset !== undefined && isOutside(preset)) throw wrong('preset', 'preset must lie between min and max.');
  const outside = presets.findIndex(isOutside);
  if (outside >= 0) throw wrong(`presets[${outside}]`, 'Every preset must lie between min and max.');
}

/** The maximum number of uses. Null: unlimited. A link paid in parts has one use by default. */
function maxUsesOf({ single_use: single, max_uses: most, allow_partial: inParts }: CreatePaymentLink): number | null {
  const isContradiction = most !== undefined && single !== undefined && single !== (most === 1);
  if (isContradiction) throw contradiction('max_uses', 'single_use is the same as max_uses 1. Give one of them.');
  if (most !== undefined) return most;
  return (single ?? inParts ?? false) ? 1 : null;
}

/** Rejects an end in the past or before the start. */
function assertTimes(startsAt: Date | null, expiresAt: Date | null, now: Date): void {
  if (expiresAt === null) return;
  if (expiresAt <= now) throw contradiction('expires_at', 'expires_at must lie in the future.');
  if (startsAt !== null && startsAt >= expiresAt) {
    throw contradiction('starts_at', 'starts_at must be before expires_at.');
  }
}

function readCurrencies(custom: CustomAmount): CustomAmount {
  if (custom.currencies === undefined) return custom;
  const currencies = custom.currencies.map((text, index) => readCurrency(text, `custom_amount.currencies[${index}]`));
  return { ...custom, currencies: [...new Set(currencies)] };
}

/** An amount in minor units that does not become zero in any currency or asset. */
const trialAmount = 100_000;

/** A payment like those of the link's payers. It is only checked, and never stored. */
function trialPayment(body: CreatePaymentLink, currency: string, settlementAsset: string): PaymentOrder {
  const { min, max, preset } = body.custom_amount ?? {};
  const isOwn = currency === body.currency;
  return {
    amount: isOwn ? (body.amount ?? preset ?? max ?? min ?? trialAmount) : trialAmount,
    currency,
    settlement_asset: settlementAsset,
    settlement_network: 'stellar',
    payment_methods: [...(body.payment_methods ?? allMethods)],
    customer: { email: 'payer@example.com' },
    ...(body.redirect_url !== undefined && { redirect_url: body.redirect_url }),
    ...(body.line_items !== undefined && isOwn && { line_items: body.line_items }),
    ...(body.locale !== undefined && { locale: body.locale }),
    ...(body.settlement_address !== undefined && { settlement_address: body.settlement_address }),
  };
}

function contradiction(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}

function momentOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

type ChangeDeps = LinkViewContext & Pick<PaymentDeps, 'db'>;

/** Reads the link. First expires a link whose end has passed. Throws `resource_missing`. */
export async function readLink(
  deps: ChangeDeps,
  caller: Pick<Caller, 'merchant' | 'livemode' | 'now'>,
  linkId: string,
): Promise<LinkRow> {
  const key = { merchantId: caller.merchant.id, linkId };
  const link = await findLink(deps.db, key);
  if (link === null || link.livemode !== caller.livemode) throw linkMissing(linkId);
  return needsExpiry(link, caller.now) ? await expireLink(deps, key, caller.now) : link;
}

function needsExpiry(link: LinkRow, now: Date): boolean {
  return (link.status === 'active' || link.status === 'disabled') && isOver(link, now);
}

/** Expires a link whose end has passed. A sweep then ends the link's payments in phase `awaiting_payer`. */
export async function expireLink(deps: ChangeDeps, key: LinkKey, now: Date): Promise<LinkRow> {
  return await deps.db.transaction().execute(async tx => {
    const link = await lockLink(tx, key);
    if (!needsExpiry(link, now)) return link;
    const set = { closing_at: now };
    return await changeLink(tx, deps, link, { to: 'expired', set, events: ['payment_link.expired'], now });
  });
}

/** Changes the status, texts and times of a link. Throws `illegal_state`, or a PayError that names the wrong field. */
export async function updateLink(
  context: LinkViewContext,
  tx: Tx,
  caller: Caller,
  linkId: string,
  body: UpdatePaymentLink,
): Promise<LinkRow> {
  const link = await lockLink(tx, { merchantId: caller.merchant.id, linkId });
  if (body.redirect_url) assertRedirect(body.redirect_url, caller.merchant, caller.livemode, 'redirect_url');
  const { status, starts_at: startsAt, expires_at: expiresAt, ...texts } = body;
  const times = {
    ...(startsAt !== undefined && { starts_at: momentOf(startsAt) }),
    ...(expiresAt !== undefined && { expires_at: momentOf(expiresAt) }),
  };
  if (startsAt !== undefined || expiresAt !== undefined) assertTimeChange({ ...link, ...times }, caller.now);
  const to = nextStatus(link, status, expiresAt !== undefined);
  if (to === link.status && Object.keys({ ...texts, ...times }).length === 0) return link;
  const { now } = caller;
  const closing = to !== link.status && { closing_at: to === 'active' ? null : now };
  const set = { ...texts, ...times, ...closing };
  return await changeLink(tx, context, link, { to, set, events: ['payment_link.updated'], now });
}

function assertTimeChange({ status, starts_at: startsAt, expires_at: expiresAt }: LinkRow, now: Date): void {
  if (status === 'completed') {
    throw new PayError('illegal_state', 'The payment link is completed, so its times can no longer change.');
  }
  assertTimes(startsAt, expiresAt, now);
}

/** The status after a change. A new end time reactivates an expired link. */
function nextStatus({ status }: LinkRow, wanted: UpdatePaymentLink['status'], hasNewEnd: boolean) {
  if (status === 'expired' && wanted !== undefined && !hasNewEnd) {
    throw new PayError(
      'illegal_state',
      'The payment link has expired. Give it a later expires_at, or null for no end.',
    );
  }
  return wanted ?? (status === 'expired' && hasNewEnd ? 'active' : status);
}
