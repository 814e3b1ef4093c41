import type { Tx } from '../platform/db/database.ts';
import type { Quote } from './quote.ts';

/** Keeps a payment's further quote; the first is written with the payment itself. */
export async function insertQuote(
  tx: Tx,
  payment: { readonly merchant_id: string; readonly id: string; readonly settlement_asset: string },
  quote: Quote,
): Promise<void> {
  await tx
    .insertInto('quotes')
    .values({
      merchant_id: payment.merchant_id,
      id: quote.id,
      payment_id: payment.id,
      settlement_asset: payment.settlement_asset,
      settlement_amount: quote.settlementAmount,
      rate_numerator: quote.rate.numerator,
      rate_denominator: quote.rate.denominator,
      source: quote.source,
      expires_at: quote.expiresAt,
      created_at: quote.createdAt,
    })
    .execute();
}
