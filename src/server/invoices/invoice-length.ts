import { type CreateInvoice, mostTextCharacters } from '../../api/invoice/invoice.ts';
import { wrong } from './invoice-terms.ts';

/**
 * Throws PayError `parameter_invalid` (`lines`) for an invoice whose texts no process would draw in reasonable time or
 * memory: what a numbered invoice says is never changed, so it could never be read on paper.
 */
export function assertDrawable({ customer, lines, reference, memo, footer }: CreateInvoice): void {
  const texts = [customer.name, customer.tax_id, ...Object.values(customer.address ?? {}), reference, memo, footer];
  for (const { description, unit, tax, taxes = [] } of lines) {
    texts.push(description, unit, tax?.name, ...taxes.map(({ name }) => name));
  }
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (length <= mostTextCharacters) return;
  const most = `all texts of an invoice together may have ${mostTextCharacters} characters, line ends included`;
  throw wrong('lines', `hold too much text: ${most}, and these have ${length}.`);
}
