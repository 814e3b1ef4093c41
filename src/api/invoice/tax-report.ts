import { type Static, Type } from 'typebox';
import { Closed, Day } from '../schema.ts';
import { LineVat } from './invoice.ts';

/** Query of `GET /v1/reports/taxes`. Both days belong to the period. */
export const TaxReportQuery = Closed({ from: Day, to: Day });
export type TaxReportQuery = Static<typeof TaxReportQuery>;

const Whole = Type.Integer({ description: 'In smallest units; negative when more was credited than invoiced.' });
const part = (description: string) => Type.Object({ base: Whole, amount: Whole }, { description });

/** Tax of one rate and VAT category in one currency. */
export const TaxReportLine = Type.Object({
  currency: Type.String(),
  name: Type.String({ description: 'Name of the tax. Blank: lines without tax.' }),
  percent: Type.String({ description: 'Rate in percent, decimal text.' }),
  category: Type.Enum(LineVat.properties.category.enum, {
    description: 'VAT category of the lines, as the e-invoice states it. `standard` for every rate above 0 %.',
  }),
  invoiced: part('What invoices of the period tax.'),
  credited: part('What credit notes of the period take back.'),
  base: Whole,
  amount: Whole,
});
export type TaxReportLine = Static<typeof TaxReportLine>;

/** Taxes of the invoices and credit notes that were issued in a period. */
export const TaxReport = Type.Object({
  object: Type.Literal('tax_report'),
  from: Day,
  to: Day,
  data: Type.Array(TaxReportLine),
  livemode: Type.Boolean(),
});
export type TaxReport = Static<typeof TaxReport>;
