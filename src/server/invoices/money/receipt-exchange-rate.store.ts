import type { Rate } from '../../../core/rate.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';

/** A rate from the received asset to the invoice's currency, and its time. */
export interface DatedRate {
  readonly rate: Rate;
  readonly at: Date;
}

/** The rates that were kept with transfers, by transfer id. */
export async function findKeptRates(
  db: Executor,
  merchantId: string,
  transferIds: readonly string[],
): Promise<ReadonlyMap<string, Rate>> {
  if (transferIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('transfer_rates')
    .select(['transfer_id as id', 'rate_numerator as numerator', 'rate_denominator as denominator'])
    .where('merchant_id', '=', merchantId)
    .where('transfer_id', 'in', transferIds)
    .execute();
  return new Map(rows.map(({ id, ...rate }) => [id, rate]));
}

/** The exchange rate of a transfer, to be kept with it. */
export interface KeptRate extends DatedRate {
  readonly transferId: string;
}

/** Keeps the rates of transfers that were just counted. A rate that was kept before stays. */
export async function keepRates(
  tx: Tx,
  { merchantId, currency }: { readonly merchantId: string; readonly currency: string },
  rates: readonly KeptRate[],
): Promise<void> {
  if (rates.length === 0) return;
  await tx
    .insertInto('transfer_rates')
    .values(
      rates.map(({ transferId, rate, at }) => ({
        ...{ merchant_id: merchantId, transfer_id: transferId, currency, as_of: at },
        ...{ rate_numerator: rate.numerator, rate_denominator: rate.denominator },
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}
