import '../../src/dashboard/invoices/editor/invoice-editor.ts';
import { expect } from '@open-wc/testing';
import { Refusal } from './support/fake-service.ts';
import { draft, openEditor, standing } from './support/invoice-editor.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

describe('the editor of an invoice', () => {
  it('shows the totals that the service computes for what was typed', async () => {
    const { service, page, type, press } = await openEditor();
    const customer = find<HTMLInputElement>(page, '[name=known]');
    customer.click();
    await waitUntil(() => find(page, '[role=option]', 'Ada Lovelace ada@example.com'));
    find(page, '[role=option]', 'Ada Lovelace ada@example.com').click();
    await waitUntil(() => customer.value === 'Ada Lovelace');
    await type('Description', 'Design');
    await type('Quantity', '2,5');
    await type('Price of one', '80.00');
    await type('Tax %', '19');
    await type('Discount on everything', '10 %');
    await press('Add a line');
    await waitUntil(() => textOf(page).includes('€214.20'));
    expect(textOf(page)).to.match(/Subtotal €200\.00 Discount −€20\.00 VAT 19% €34\.20 Total €214\.20/);
    expect(service.callsOf('POST /v1/invoices/preview').at(-1)?.body).to.deep.equal({
      customer: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        tax_id: 'GB123456789',
        address: { line1: '12 St James’s Square', city: 'London', country: 'GB' },
      },
      currency: 'EUR',
      lines: [
        {
          description: 'Design',
          quantity: '2.5',
          unit_amount: 8_000,
          tax: { name: 'VAT', percent: '19', inclusive: false },
        },
      ],
      discount: { percent: '10' },
      due_date: null,
      days_until_due: 30,
      installments: [],
      deposit: null,
      reference: null,
      memo: null,
      footer: null,
      locale: null,
      buyer_reference: null,
      order_number: null,
      delivery_date: null,
      period: null,
      settlement_asset: null,
      number_prefix: null,
      exchange: null,
      allow_partial: false,
      payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
      reminders: { enabled: true, offsets_days: [-3, 0, 3] },
    });
    await expect(page).shadowDom.to.be.accessible();
  });

  it('saves a draft, with instalments', async () => {
    const { service, visits, type, press } = await openEditor({ 'POST /v1/invoices': draft });
    await type('Description', 'Design');
    await type('Price of one', '100');
    await type('Due', 'parts');
    for (const [at, [day, share]] of [['2026-12-01', '50 %'] as const, ['2027-01-01', '50.00'] as const].entries()) {
      await press('Add an instalment');
      await type('Day', day, at);
      await type('Amount or %', share, at);
    }
    await press('Save draft');
    await waitUntil(() => visits.length === 1);
    expect(visits).to.deep.equal(['/invoices/inv_1']);
    const { installments, days_until_due: days } = service.callsOf('POST /v1/invoices')[0]?.body ?? {};
    expect([installments, days]).to.deep.equal([
      [
        { due_date: '2026-12-01', percent: '50' },
        { due_date: '2027-01-01', amount: 5_000 },
      ],
      null,
    ]);
  });

  it('reorders and removes lines by keyboard, and keeps the focus', async () => {
    const { service, page, press, field } = await openEditor({ 'PATCH /v1/invoices/inv_1': draft }, 'inv_1');
    const focused = () => page.shadowRoot?.activeElement?.getAttribute('aria-label');
    await press('Move down line 1');
    expect(focused()).to.equal('Move down line 2');
    const alt = { key: 'ArrowUp', altKey: true, bubbles: true };
    const moved = field('Quantity', 2);
    moved.focus();
    moved.dispatchEvent(new KeyboardEvent('keydown', alt));
    await settle(page);
    expect(page.shadowRoot?.activeElement?.id).to.equal(field('Quantity', 1).id);
    await press('Remove line 3');
    await press('Save draft');
    await waitUntil(() => service.callsOf('PATCH /v1/invoices/inv_1').length === 1);
    const { lines } = (service.callsOf('PATCH /v1/invoices/inv_1')[0]?.body ?? {}) as typeof draft;
    expect(lines.map(({ description }) => description)).to.deep.equal(['Build', 'Test']);
  });

  it('shows what the service refuses at its field, also beside lines without texts', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'Take 0 to 100.', 'lines[0].tax.percent');
    const { page, type, press, field } = await openEditor({ 'POST /v1/invoices/preview': refused });
    await press('Add a line');
    await type('Description', 'Design', 1);
    await type('Price of one', 'much', 1);
    expect(textOf(page)).to.contain('Write the price as a number');
    await type('Price of one', '10', 1);
    await type('Tax %', '119', 1);
    await waitUntil(() => textOf(page).includes('Take 0 to 100.'));
    expect(field('Tax %', 1).getAttribute('aria-invalid')).to.equal('true');
    expect(field('Tax %', 0).getAttribute('aria-invalid')).to.equal(null);
  });

  it('names empty fields once the person saves', async () => {
    const { service, page, field, press } = await openEditor();
    expect(textOf(page)).not.to.contain('Describe at least one line.');
    await press('Save draft');
    expect(textOf(page)).to.contain('Describe at least one line.');
    expect(page.shadowRoot?.activeElement === field('Description')).to.equal(true);
    expect(service.callsOf('POST /v1/invoices')).to.have.length(0);
  });

  it('keeps unsaved changes over a reload, until they are discarded or saved', async () => {
    const first = await openEditor({}, 'inv_1');
    await first.type('Reference', 'PO 8');
    first.page.remove();
    const second = await openEditor({}, 'inv_1');
    expect(textOf(second.page)).to.contain('Your unsaved changes are back.');
    expect(second.field('Reference').value).to.equal('PO 8');
    await second.press('Discard them');
    expect(second.field('Reference').value).to.equal('PO 7');
    expect(sessionStorage.length).to.equal(0);
  });

  it('sends only after it was saved and confirmed', async () => {
    const { service, visits, toasts, page, type, press } = await openEditor({
      'POST /v1/invoices': draft,
      'POST /v1/invoices/inv_1/send': {
        ...draft,
        status: 'sent',
        number: 'INV-0042',
        warnings: [
          { code: 'einvoice_unavailable', param: 'account.tax_id', message: 'The account has no tax number.' },
        ],
      },
    });
    await type('Description', 'Design');
    await type('Price of one', '100');
    await press('Send …');
    await waitUntil(() => textOf(page).includes('Send this invoice?'));
    expect(service.callsOf('POST /v1/invoices/inv_1/send')).to.have.length(0);
    await press('Send');
    await waitUntil(() => visits.length === 1);
    expect(toasts[0]?.text).to.equal('INV-0042 sent, without e-invoice');
    expect(visits).to.deep.equal(['/invoices/inv_1']);
  });

  it('shows the service’s PDF of what was typed', async () => {
    const { service, page, press } = await openEditor({ 'POST /v1/invoices/inv_1/preview/pdf': {} }, 'inv_1');
    await waitUntil(() => textOf(page).includes('Total €214.20'));
    await press('Preview as PDF');
    await waitUntil(() => find(page, 'a', 'Open the PDF').getAttribute('href')?.startsWith('blob:'));
    expect(service.callsOf('POST /v1/invoices/inv_1/preview/pdf')[0]?.body['reference']).to.equal('PO 7');
  });

  it('is closed for viewers and for sent invoices', async () => {
    await openEditor({}, undefined, 'viewer');
    tidyUp();
    const service = serviceOf({ ...standing, 'GET /v1/invoices/inv_1': { ...draft, status: 'sent' } });
    const { page } = await mountPage('pay-invoice-editor', { params: { id: 'inv_1' } });
    await waitUntil(() => textOf(page).includes('can no longer change'));
    expect(service.callsOf('POST /v1/invoices/inv_1/preview')).to.have.length(0);
  });
});
