import { TaxReport, type TaxReportLine, TaxReportQuery } from '../../../api/invoice/tax-report.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { formatUnits } from '../../../core/money.ts';
import { csvHead, csvLine } from '../../platform/csv.ts';
import type { Db } from '../../platform/db/database.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { readDay } from '../../platform/http/list.ts';
import { sumTaxes, type TaxSums } from './tax-report.service.ts';
import type { Period } from './tax-report.store.ts';

const columns = [
  'currency',
  'name',
  'percent',
  'category',
  'invoiced_base',
  'invoiced_amount',
  'credited_base',
  'credited_amount',
  'base',
  'amount',
];
const config = { access: 'secret', scope: 'invoices:read' } as const;
const description =
  'Taxes of the invoices and credit notes whose issue date is in the period, by currency, rate and VAT category. `base` and ' +
  '`amount` are what was invoiced less what was credited. Lines without tax are a rate of 0 with their net amount as base. ' +
  'So the bases sum to the net totals of the documents, except that a line with several taxes counts once for each of ' +
  'them. A void invoice counts only as far as credit notes took it back.';

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
        .send([csvHead(columns), ...rows.map(row => csvLine(cellsOf(row)))].join(''));
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
  const { currency, name, percent, category, invoiced, credited } = row;
  return {
    currency,
    name,
    percent,
    category,
    invoiced: { base: Number(invoiced.base), amount: Number(invoiced.amount) },
    credited: { base: Number(credited.base), amount: Number(credited.amount) },
    base: Number(invoiced.base - credited.base),
    amount: Number(invoiced.amount - credited.amount),
  };
}

/** The cells of a row. Amounts are decimal text, so that spreadsheets can sum them. */
function cellsOf({ currency, name, percent, category, invoiced, credited }: TaxSums): string[] {
  const sums = [
    ...[invoiced.base, invoiced.amount, credited.base, credited.amount],
    ...[invoiced.base - credited.base, invoiced.amount - credited.amount],
  ];
  return [currency, name, percent, category, ...sums.map(sum => formatUnits(sum, currencyDecimals(currency)))];
}
