import type { PayClient } from '../../src/api/client.ts';
import type { Invoice } from '../../src/api/invoice/invoice-view.ts';

/** The date in `days` days, in UTC. */
export const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** An invoice in EUR with two taxes, a discount and three instalments: €1,107.15, of which €442.86 first. */
export async function draftInvoice(client: PayClient, fields: object = {}): Promise<Invoice> {
  return await client.invoices.create({
    currency: 'EUR',
    customer: { name: 'Ada Lovelace', email: 'ada@example.com', tax_id: 'GB123456789' },
    lines: [
      {
        description: 'Analytical engine, hire',
        quantity: '3',
        unit_amount: 25_000,
        tax: { name: 'VAT', percent: '20' },
      },
      {
        description: 'Punched cards',
        quantity: '400',
        unit_amount: 55,
        discount: { percent: '10' },
        tax: { name: 'VAT', percent: '7' },
      },
      { description: 'Delivery', unit_amount: 4_500, tax: { name: 'VAT', percent: '20' } },
    ],
    discount: { amount: 5_000 },
    due_date: dayFromNow(70),
    installments: [
      { due_date: dayFromNow(10), percent: '40' },
      { due_date: dayFromNow(40), percent: '30' },
      { due_date: dayFromNow(70), percent: '30' },
    ],
    allow_partial: true,
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    settlement_asset: 'USDC',
    memo: 'Thank you for your order.',
    ...fields,
  });
}
