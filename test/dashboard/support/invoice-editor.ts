import type { Answer } from './fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, waitUntil } from './mounted.ts';

const ada = {
  id: 'cus_1',
  object: 'customer',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  tax_id: 'GB123456789',
  address: { line1: '12 St James’s Square', city: 'London', country: 'GB' },
};
/** What the service computes for the texts. */
export const preview = {
  object: 'invoice_preview',
  currency: 'EUR',
  subtotal: 20_000,
  discount_total: 2_000,
  total: 21_420,
  taxes: [{ name: 'VAT', percent: '19', inclusive: false, compound: false, base: 18_000, amount: 3_420 }],
  warnings: [] as object[],
};
/** A draft of three lines. */
export const draft = {
  ...preview,
  id: 'inv_1',
  object: 'invoice',
  status: 'draft',
  number: null,
  locale: 'en',
  customer: { id: null, name: 'Grace Hopper', email: 'grace@example.com', address: null, tax_id: null },
  lines: ['Design', 'Build', 'Test'].map(description => ({
    description,
    quantity: '1',
    unit: null,
    unit_amount: 5_000,
    discount: null,
    vat: null as object | null,
    taxes: [{ name: 'VAT', percent: '19', inclusive: false, compound: false, amount: 950 }],
  })),
  due_date: null,
  days_until_due: 14,
  discount: { percent: '10', amount: 1_500 },
  installments: [],
  reference: 'PO 7',
  memo: null,
  footer: null,
  buyer_reference: null,
  order_number: null,
  delivery_date: null,
  period: null,
  deposit: null,
  allow_partial: false,
  payment_methods: ['card', 'bank_transfer', 'crypto'],
  settlement_asset: 'USDC',
  number_prefix: 'INV',
  exchange: null,
  warnings: [] as object[],
  reminders: { enabled: true, offsets_days: [-3, 0, 3] },
};
/** The answers that every editor needs. */
export const standing = {
  'GET /v1/customers': { object: 'list', url: '', has_more: false, data: [ada] },
  'GET /v1/customers/cus_1': ada,
  'GET /v1/invoices/inv_1': draft,
  'POST /v1/invoices/preview': preview,
  'POST /v1/invoices/inv_1/preview': preview,
};

/** Opens the editor of a new invoice, or of the draft `inv_1`. */
export async function openEditor(more: Record<string, Answer> = {}, id?: string, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({ ...standing, ...more });
  const mounted = await mountPage('pay-invoice-editor', { params: id === undefined ? {} : { id }, role });
  const { page } = mounted;
  await waitUntil(() => textOf(page).includes(role === 'owner' ? 'Save draft' : 'Your role'));
  const field = (label: string, at = 0) => {
    const labels = [...(page.shadowRoot?.querySelectorAll('label') ?? [])].filter(
      each => each.textContent?.trim() === label,
    );
    const input = page.shadowRoot?.getElementById(labels[at]?.htmlFor ?? '');
    if (!input) throw new Error(`no field ${label}`);
    return input as HTMLInputElement;
  };
  const type = async (label: string, text: string, at = 0) => {
    const input = field(label, at);
    input.value = text;
    input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
    await settle(page);
  };
  const press = async (name: string) => {
    find(page, 'button', name).click();
    await settle(page);
  };
  return { ...mounted, service, field, type, press };
}
