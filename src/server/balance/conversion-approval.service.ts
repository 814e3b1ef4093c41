import { approve, type WayOut } from '../approvals/approval.service.ts';
import { type ApprovalPurpose, createValuer, notWaiting, type Valuer } from '../approvals/approval.ts';
import { isAsset, moneyText, moneyToWire } from '../ledger/balance-money.ts';
import { post } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { Tx } from '../platform/db/database.ts';
import { changeRow } from '../platform/events/change.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { findConversion, findQuote, lockConversion } from './balance.store.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import { conversionResource } from './conversion.view.ts';
import type { BalanceQuoteRow, ConversionRow } from './tables.ts';

/** A conversion as a way out: exchanged money leaves the balance in which people counted on it. */
export function wayOutOf(objectId: string, quote: BalanceQuoteRow, valuer: Valuer | null): WayOut {
  const given = { currency: quote.from_currency, amount: quote.from_amount };
  const summary = `Conversion of ${moneyText(given)} to ${quote.to_currency.split(':')[0]}`;
  return { kind: 'conversion', objectId, summary, worth: valuer?.([given]) ?? null };
}

/** Reads the rates that compare a conversion with the account's limit. */
export async function valuerOf(
  deps: Pick<BalanceMoveDeps, 'db' | 'rates'>,
  caller: Caller,
  asked: { readonly quoteId: string } | { readonly quote: BalanceQuoteRow },
): Promise<Valuer | null> {
  if (caller.merchant.payoutApprovalAmount === null) return null;
  const quote = 'quote' in asked ? asked.quote : await findQuote(deps.db, scopeOf(caller), asked.quoteId);
  return await createValuer(deps, caller.merchant, quote === null ? [] : [quote.from_currency]);
}

type Price = (caller: Caller, row: ConversionRow) => Promise<Pick<ConversionRow, 'to_amount' | 'rate'>>;

/** Approvals of conversions. Its quote counts if it has not ended; otherwise the conversion is priced again. */
export function conversionApprovals(deps: BalanceMoveDeps, priceAgain: Price): ApprovalPurpose {
  return {
    kind: 'conversion',
    prepare: async (caller, { id: approvalId, object_id: id }) => {
      const before = await findConversion(deps.db, scopeOf(caller), id);
      if (before === null) throw notWaiting();
      const quote = await findQuote(deps.db, scopeOf(caller), before.quote_id);
      const isFirm = quote !== null && quote.expires_at > caller.now;
      const { to_amount, rate } = isFirm ? before : await priceAgain(caller, before);
      return async tx => {
        const row = await lockWaiting(tx, caller, id);
        await approve(tx, caller, approvalId);
        const given = { currency: row.from_currency, amount: row.from_amount };
        const taken = { currency: row.to_currency, amount: to_amount };
        const postings = exchange('merchant.reserved', given, 'merchant.available', taken);
        await book(tx, row, 'conversion', postings, caller.now);
        const change = { to: 'completed', set: { to_amount, rate }, now: caller.now } as const;
        await changeRow(tx, conversionResource, null, row, change);
      };
    },
    cancel: async (tx, caller, { object_id: id }) => {
      const row = await lockWaiting(tx, caller, id);
      const postings = move('merchant.reserved', 'merchant.available', row.from_currency, row.from_amount);
      await book(tx, row, 'conversion_failed', postings, caller.now);
      await changeRow(tx, conversionResource, null, row, { to: 'failed', now: caller.now });
    },
  };
}

/** The money of a waiting conversion, for pricing it again. */
export function askedOf({ from_currency, from_amount, to_currency }: ConversionRow) {
  const to = isAsset(to_currency) ? { asset: to_currency } : { currency: to_currency };
  return { from: moneyToWire({ currency: from_currency, amount: from_amount }), to };
}

async function book(tx: Tx, row: ConversionRow, kind: string, postings: ReturnType<typeof move>, now: Date) {
  const { merchant_id: merchantId, livemode, id: resourceId } = row;
  await post(tx, [{ merchantId, livemode, kind, resourceId, postings, now }]);
}

async function lockWaiting(tx: Tx, caller: Caller, id: string): Promise<ConversionRow> {
  const row = await lockConversion(tx, scopeOf(caller), id);
  if (row?.status !== 'awaiting_approval') throw notWaiting();
  return row;
}
