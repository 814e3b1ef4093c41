import { html, nothing, type TemplateResult } from 'lit';
import type { InvoicePreview } from '../../api/invoice/invoice-view.ts';
import { moneyOf, moneyWords, percentWords, quantityWords } from '../controls/values.ts';
import { vatWords } from './invoice-words.ts';

/** The lines of an invoice with its total. */
export function linesCard(invoice: Omit<InvoicePreview, 'object' | 'warnings'>): TemplateResult {
  const { lines, currency, discount_total: discount, taxes, total } = invoice;
  const row = (label: string | TemplateResult, amount: number) =>
    html`<tr><th scope="row">${label}</th><td class="end">${moneyOf(amount, currency)}</td></tr>`;
  return html`<section class="card" aria-labelledby="lines">
    <h2 id="lines">Lines</h2>
    <table class="rows"><tbody>
      ${lines.map(line =>
        row(
          html`${line.description}<div class="second-line">${quantityWords(line.quantity)} ${line.unit ?? ''} × ${moneyWords(line.unit_amount, currency)}</div>${untaxedWords(line)}`,
          line.subtotal,
        ),
      )}
      ${discount === 0 ? nothing : row('Discount', -discount)}
      ${taxes.map(({ name, percent, inclusive, amount }) =>
        row(`${inclusive ? 'Includes ' : ''}${name} ${percentWords(percent)}`, amount),
      )}
      ${row(html`<strong>Total</strong>`, total)}
    </tbody></table>
  </section>`;
}

/** The VAT category of a line without tax, and the printed reason. Nothing for other lines. */
function untaxedWords({ vat }: InvoicePreview['lines'][number]): TemplateResult | typeof nothing {
  if (vat == null || vat.category === 'standard') return nothing;
  const [label] = vatWords(vat.category);
  const reason = vat.exemption_reason === null || vat.exemption_reason === label ? '' : `: ${vat.exemption_reason}`;
  return html`<div class="second-line">${label + reason}</div>`;
}
