import { html, nothing, type TemplateResult } from 'lit';
import type { InvoicePreview } from '../../api/invoice/invoice-view.ts';
import { moneyOf, moneyWords } from '../controls/values.ts';

/** The lines of an invoice with its total. */
export function linesCard(invoice: Omit<InvoicePreview, 'object' | 'warnings'>): TemplateResult {
  const { lines, currency, discount_total: discount, taxes, total } = invoice;
  const row = (label: string | TemplateResult, amount: number) =>
    html`<tr><th scope="row">${label}</th><td class="end">${moneyOf(amount, currency)}</td></tr>`;
  return html`<section class="card" aria-labelledby="lines">
    <h2 id="lines">Lines</h2>
    <table class="rows"><tbody>
      ${lines.map(({ description, quantity, unit, unit_amount: price, subtotal }) =>
        row(
          html`${description}<div class="second-line">${quantity} ${unit ?? ''} × ${moneyWords(price, currency)}</div>`,
          subtotal,
        ),
      )}
      ${discount === 0 ? nothing : row('Discount', -discount)}
      ${taxes.map(({ name, percent, inclusive, amount }) =>
        row(`${inclusive ? 'Includes ' : ''}${name} ${percent} %`, amount),
      )}
      ${row(html`<strong>Total</strong>`, total)}
    </tbody></table>
  </section>`;
}
