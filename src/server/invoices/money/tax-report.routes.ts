import { TaxReport, type TaxReportLine, TaxReportQuery } from '../../../api/invoice/tax-report.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { formatUnits } from '../../../core/money.ts';
import { csvLine } from '../../platform/csv.ts';
import type { Db } from '../../platform/db/database.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { readDay } from '../../platform/http/list.ts';
import { sumTaxes, type TaxSums } from './tax-report.store.ts';

interface Period {
  readonly from: string;
  readonly to: string;
}

const columns = [
  'currency',
  'name',
  'percent',
  'invoiced_base',
  'invoiced_amount',
  'credited_base',
  'credited_amount',
  'base',
  'amount',
];
const config = { access: 'secret', scope: 'invoices:read' } as const;
const description =
  'Taxes of the invoices and credit notes whose issue date is in the period, by currency and rate. `base` and `amount` are ' +
  'what was invoiced less what was credited. A void invoice counts only as far as credit notes took it back; invoices ' +
  'without tax are a rate of 0.';

/** `GET /v1/reports/taxes` and `/v1/reports/taxes.csv`: the taxes of a period. */
export function registerTaxReport(app: HttpApp, { db }: { readonly db: Db }): void {
  const shape = { querystring: TaxReportQuery, tags: ['Reports'], description };
  app.get(
    '/v1/reports/taxes',
    { schema: { ...shape, response: { 200: TaxReport }, summary: 'Read the taxes of a period' }, config },
    async request => {
      const caller = callerOf(request);
      const period = periodOf(request.query);
      const data = (await sumTaxes(db, scopeOf(caller), period)).map(lineOf);
      return { object: 'tax_report' as const, ...period, data, livemode: caller.livemode };
    },
  );
  app.get(
    '/v1/reports/taxes.csv',
    { schema: { ...shape, summary: 'Export the taxes of a period as CSV' }, config },
    async (request, reply) => {
      const period = periodOf(request.query);
      const rows = await sumTaxes(db, scopeOf(callerOf(request)), period);
      const name = `taxes-${period.from}-${period.to}.csv`;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send([csvLine(columns), ...rows.map(row => csvLine(cellsOf(row)))].join(''));
    },
  );
}

/** Throws `parameter_invalid` for a day that does not exist, or a period that ends before it begins. */
function periodOf(query: Period): Period {
  const period = { from: readDay(query.from, 'from'), to: readDay(query.to, 'to') };
  if (period.from <= period.to) return period;
  throw new PayError('parameter_invalid', 'to must not be before from.', { param: 'to' });
}

function lineOf(row: TaxSums): TaxReportLine {
  const { currency, name, percent } = row;
  return {
    ...{ currency, name, percent },
    invoiced: { base: Number(row.invoiced_base), amount: Number(row.invoiced_amount) },
    credited: { base: Number(row.credited_base), amount: Number(row.credited_amount) },
    base: Number(row.invoiced_base - row.credited_base),
    amount: Number(row.invoiced_amount - row.credited_amount),
  };
}

/** The cells of a row. Amounts are decimal text, so that spreadsheets can sum them. */
function cellsOf(row: TaxSums): string[] {
  const sums = [
    ...[row.invoiced_base, row.invoiced_amount, row.credited_base, row.credited_amount],
    ...[row.invoiced_base - row.credited_base, row.invoiced_amount - row.credited_amount],
  ];
  return [row.currency, row.name, row.percent, ...sums.map(sum => formatUnits(sum, currencyDecimals(row.currency)))];
}
