import { sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { MerchantScope } from '../../platform/merchant.ts';

/** The sums of one rate, in minor units. */
export interface TaxSums {
  readonly currency: string;
  readonly name: string;
  readonly percent: string;
  readonly invoiced_base: bigint;
  readonly invoiced_amount: bigint;
  readonly credited_base: bigint;
  readonly credited_amount: bigint;
}

/**
 * Sums the taxes of documents that were issued in a period, by currency and rate. Of a void invoice, only the part that
 * credit notes took back counts as invoiced: each note counts, too, in its own period. Invoices without tax count as a
 * rate of 0 percent without a name.
 */
export async function sumTaxes(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly TaxSums[]> {
  const { rows } = await sql<TaxSums>`
    with documents as (
      select currency, taxes, total, false as is_credit from invoices
      where merchant_id = ${merchantId} and livemode = ${livemode} and status not in ('draft', 'void')
        and issue_date between ${from} and ${to}
      union all
      select note.currency, note.taxes, note.amount, false
      from credit_notes note join invoices i on i.merchant_id = note.merchant_id and i.id = note.invoice_id
      where i.merchant_id = ${merchantId} and i.livemode = ${livemode} and i.status = 'void'
        and i.issue_date between ${from} and ${to}
      union all
      select currency, taxes, amount, true from credit_notes
      where merchant_id = ${merchantId} and livemode = ${livemode} and issue_date between ${from} and ${to}
    )
    select d.currency, t.name, t.percent,
      coalesce(sum(t.base) filter (where not is_credit), 0)::int8 as invoiced_base,
      coalesce(sum(t.amount) filter (where not is_credit), 0)::int8 as invoiced_amount,
      coalesce(sum(t.base) filter (where is_credit), 0)::int8 as credited_base,
      coalesce(sum(t.amount) filter (where is_credit), 0)::int8 as credited_amount
    from documents d cross join lateral jsonb_to_recordset(
      case when jsonb_array_length(d.taxes) > 0 then d.taxes
        else jsonb_build_array(jsonb_build_object('name', '', 'percent', '0', 'base', d.total, 'amount', 0)) end
    ) as t (name text, percent text, base int8, amount int8)
    group by d.currency, t.name, t.percent
    order by d.currency, t.percent::numeric desc, t.name`.execute(db);
  return rows;
}
