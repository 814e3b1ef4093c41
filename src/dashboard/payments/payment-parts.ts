import { html, nothing, type TemplateResult } from 'lit';
import type { Dispute } from '../../api/client.ts';
import type { Payment } from '../../api/payment.ts';
import { pathTo } from '../app/router.ts';
import { disputeStates, stateOf, timeLeft } from '../balance/dispute-words.ts';
import { keyValues } from '../controls/key-values.ts';
import { toneClass } from '../controls/status-chip.ts';
import { moneyOf, timeWords } from '../controls/values.ts';

/** The payer, with a link to the payer's other payments. */
export function payerCard({ customer }: Payment): TemplateResult | typeof nothing {
  if (customer === undefined) return nothing;
  return html`<section class="card" aria-labelledby="payer">
    <h2 id="payer">Payer</h2>
    <div>
      <div><a href=${pathTo(`/customers/${customer.id}`)}>${customer.name ?? customer.email}</a></div>
      ${customer.name ? html`<div class="second-line">${customer.email}</div>` : nothing}
    </div>
    <a href=${pathTo(`/payments?find=${encodeURIComponent(customer.email)}`)}>All payments of this payer</a>
  </section>`;
}

/** Each dispute of the payment as a link, with its state and the remaining time for an answer. */
export function disputeLinks(disputes: readonly Dispute[]): readonly TemplateResult[] {
  return disputes.map(dispute => {
    const [label, tone] = disputeStates[stateOf(dispute)] ?? [dispute.status, 'plain'];
    const words = [`Dispute ${label.toLowerCase()}`, timeLeft(dispute)].filter(text => text !== null).join(', ');
    const until = dispute.status === 'needs_response' ? `Answer by ${timeWords(dispute.evidence_due_at)}` : nothing;
    const href = pathTo(`/balance/disputes/${dispute.id}`);
    return html`<a class="chip ${toneClass(tone)}" href=${href} title=${until}>${words}</a>`;
  });
}

/** The order that is paid: its items and its description. Nothing if all are empty. */
export function orderCard(payment: Payment): TemplateResult | typeof nothing {
  const { line_items: items, reference, description, currency, payment_link: link, invoice, ramp } = payment;
  if (items.length === 0 && ![description, reference, link, invoice, ramp].some(Boolean)) return nothing;
  return html`<section class="card" aria-labelledby="order">
    <h2 id="order">${reference ? `Order ${reference}` : 'Order'}</h2>
    ${description ? html`<p>${description}</p>` : nothing}
    ${link ? html`<a href=${pathTo(`/links/${link}`)}>The payment link</a>` : nothing}
    ${invoice ? html`<a href=${pathTo(`/invoices/${invoice}`)}>The invoice</a>` : nothing}
    ${ramp ? html`<a href=${pathTo(`/ramps/${ramp}`)}>The ramp</a>` : nothing}
    ${
      items.length === 0
        ? nothing
        : keyValues(
            items.map(({ name, quantity, amount }) => ({
              label: quantity > 1 ? `${name} × ${quantity}` : name,
              value: moneyOf(amount, currency),
            })),
          )
    }
  </section>`;
}
