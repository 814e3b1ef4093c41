import type { CreateBalanceQuote, CreateConversion } from '../../api/balance/conversion.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { divideDown } from '../../core/money.ts';
import { convertUp, formatRate } from '../../core/rate.ts';
import { unitOf } from '../../core/unit.ts';
import { takeWayOut } from '../approvals/approval.service.ts';
import type { Valuer } from '../approvals/approval.ts';
import { readAmount, readNewUnit, readUnit } from '../ledger/balance-money.ts';
import { post, requireAvailable } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { Tx } from '../platform/db/database.ts';
import { createRows } from '../platform/events/change.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { insertQuote, lockConversionsSince, lockQuote, useQuote } from './balance.store.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { conversionResource } from './conversion.view.ts';
import { wayOutOf } from './conversion-approval.service.ts';
import type { BalanceQuoteRow, ConversionRow } from './tables.ts';

/** Validity of a quote in seconds. It is short, because the operator bears the risk of price changes. */
const quoteSeconds = 60;

/**
 * Prices a conversion at the market rate, rounded down. Throws the errors of `readUnit` and `readAmount`,
 * `parameter_invalid` if both sides have the same currency or asset, `invalid_amount` or `rate_unavailable`.
 */
export async function priceConversion(
  { rates, config }: Pick<BalanceMoveDeps, 'rates' | 'config'>,
  { merchant, livemode, now }: Caller,
  body: CreateBalanceQuote,
): Promise<BalanceQuoteRow> {
  const from = readUnit(body.from, rates.listedAsset, 'from.');
  const to = readNewUnit(body.to, rates.listedAsset, 'to.');
  if (from === to) throw new PayError('parameter_invalid', 'to must differ from from.', { param: 'to' });
  const amount = readAmount(body.from.amount, from, 'from.amount');
  const { rate } = await rates.findFor(amount, from, to);
  const result = divideDown(amount * rate.numerator, rate.denominator);
  if (result === 0n || result > unitOf(to).most) {
    const message =
      'from.amount is worth less than the smallest unit of the result, or more than the API can represent.';
    throw new PayError('invalid_amount', message, { param: 'from.amount' });
  }
  const dollarCents = from === 'USD' ? amount : convertUp(amount, (await rates.find(from, 'USD')).rate);
  assertBelowCap(dollarCents, config.conversionHourCap);
  return {
    dollar_cents: dollarCents,
    merchant_id: merchant.id,
    id: newId('quote'),
    livemode,
    conversion_id: null,
    from_currency: from,
    from_amount: amount,
    to_currency: to,
    to_amount: result,
    rate: formatRate(rate, unitOf(from).decimals, unitOf(to).decimals),
    expires_at: addSeconds(now, quoteSeconds),
    created_at: now,
  };
}

/** A request for a conversion: the id of an earlier quote, or a quote made for this request. */
export type ConversionRequest = { readonly quoteId: string } | { readonly quote: BalanceQuoteRow };

/**
 * Reads a request. If it names no quote, prices the conversion. Throws `parameter_invalid`, `parameter_missing`, or the
 * errors of `priceConversion`.
 */
export async function readConversion(
  deps: Pick<BalanceMoveDeps, 'rates' | 'config'>,
  caller: Caller,
  { quote, from, to }: CreateConversion,
): Promise<ConversionRequest> {
  if (quote !== undefined) {
    if (from === undefined && to === undefined) return { quoteId: quote };
    throw new PayError('parameter_invalid', 'Give a quote, or from and to; not both.', { param: 'quote' });
  }
  if (from === undefined || to === undefined) {
    const param = from === undefined ? 'from' : 'to';
    throw new PayError('parameter_missing', 'Give a quote, or from and to.', { param });
  }
  return { quote: await priceConversion(deps, caller, { from, to }) };
}

/**
 * Books a conversion inside the available balance, or reserves its money until another person approves it. Throws
 * `resource_missing` for an unknown quote, `illegal_state` for a used quote, `quote_expired`, `insufficient_funds`, or
 * `conversion_limit`.
 */
export async function convertBalance(
  { config }: Pick<BalanceMoveDeps, 'config'>,
  tx: Tx,
  caller: Caller,
  request: ConversionRequest,
  valuer: Valuer | null,
): Promise<ConversionRow> {
  const { merchant, livemode, now } = caller;
  const scope = { merchantId: merchant.id, livemode, now };
  if ('quote' in request) await insertQuote(tx, request.quote);
  const quote = await usableQuote(tx, caller, 'quote' in request ? request.quote.id : request.quoteId);
  const id = newId('conversion');
  const waits = await takeWayOut(tx, caller, wayOutOf(id, quote, valuer));
  await requireAvailable(tx, scope, new Map([[quote.from_currency, quote.from_amount]]));
  await requireHourlyLimit(tx, scope, quote.dollar_cents ?? 0n, config.conversionHourCap);
  const row: ConversionRow = {
    merchant_id: merchant.id,
    id,
    livemode,
    quote_id: quote.id,
    dollar_cents: quote.dollar_cents,
    status: waits ? 'awaiting_approval' : 'completed',
    from_currency: quote.from_currency,
    from_amount: quote.from_amount,
    to_currency: quote.to_currency,
    to_amount: quote.to_amount,
    rate: quote.rate,
    event_sequence: 1,
    created_at: now,
  };
  const given = { currency: row.from_currency, amount: row.from_amount };
  const taken = { currency: row.to_currency, amount: row.to_amount };
  const postings = waits
    ? move('merchant.available', 'merchant.reserved', given.currency, given.amount)
    : exchange('merchant.available', given, 'merchant.available', taken);
  const kind = waits ? 'conversion_reserved' : 'conversion';
  await post(tx, [{ ...scope, kind, resourceId: row.id, postings }]);
  await useQuote(tx, quote, row.id);
  await createRows(tx, conversionResource, null, 'conversion.created', [row]);
  return row;
}

async function usableQuote(tx: Tx, { merchant, livemode, now }: Caller, id: string): Promise<BalanceQuoteRow> {
  const quote = await lockQuote(tx, { merchantId: merchant.id, livemode }, id);
  const param = { param: 'quote' };
  if (quote === null) throw new PayError('resource_missing', `No balance quote ${id} exists.`, param);
  if (quote.conversion_id !== null) {
    throw new PayError('illegal_state', `The quote was used by ${quote.conversion_id}. Ask for another one.`, param);
  }
  if (quote.expires_at <= now)
    throw new PayError('quote_expired', 'The quote has expired. Ask for another one.', param);
  return quote;
}

/** Seconds for which a conversion counts against the limit. */
const capSeconds = 3_600;

/** Throws `invalid_amount` for a conversion that exceeds the hourly limit alone. `cap`: whole dollars; 0: no limit. */
function assertBelowCap(dollarCents: bigint, cap: number): void {
  if (cap === 0 || dollarCents <= BigInt(cap) * 100n) return;
  const message = `One merchant may convert the worth of USD ${cap} in an hour. Convert a smaller amount.`;
  throw new PayError('invalid_amount', message, { param: 'from.amount' });
}

/** Throws `conversion_limit` while the merchant's conversions of the last hour leave no room for this one. */
async function requireHourlyLimit(
  tx: Tx,
  scope: MerchantScope & { readonly now: Date },
  dollarCents: bigint,
  cap: number,
): Promise<void> {
  if (cap === 0) return;
  const { now } = scope;
  const recent = await lockConversionsSince(tx, scope, addSeconds(now, -capSeconds));
  let excess = recent.reduce((sum, { dollar_cents: cents }) => sum + (cents ?? 0n), dollarCents) - BigInt(cap) * 100n;
  if (excess <= 0n) return;
  // The oldest conversions leave the hour first. The last one that must leave says when there is room.
  const last = recent.find(({ dollar_cents: cents }) => {
    excess -= cents ?? 0n;
    return excess <= 0n;
  });
  const until = addSeconds(last?.created_at ?? now, capSeconds);
  const message = `One merchant may convert the worth of USD ${cap} in an hour. There is room for this conversion at ${until.toISOString()}.`;
  const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  throw new PayError('conversion_limit', message, { retryAfterSeconds });
}
