import '../../src/dashboard/invoices/invoice-page.ts';
import '../../src/dashboard/invoices/invoices-page.ts';
import '../../src/dashboard/invoices/taxes-page.ts';
import { expect } from '@open-wc/testing';
import { exampleEvent, listOf, Refusal, type ServiceCall } from './support/fake-service.ts';
import { deep, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const invoice = {
  id: 'inv_1',
  object: 'invoice',
  status: 'sent',
  number: 'INV-0042',
  currency: 'EUR',
  total: 11_900,
  customer: { id: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com', address: null, tax_id: null },
  lines: [
    {
      description: 'Design',
      quantity: '2',
      unit: 'h',
      unit_amount: 5_000,
      subtotal: 10_000,
      total: 11_900,
      taxes: [{}],
    },
  ],
  taxes: [{ name: 'VAT', percent: '19', inclusive: false, amount: 1_900, base: 10_000 }],
  discount_total: 0,
  amount_paid: 0,
  amount_credited: 0,
  amount_remaining: 11_900,
  amount_overpaid: 0,
  amount_refunded: 0,
  due_date: '2026-12-01',
  installments: [],
  reference: 'PO 7',
  sent_at: null,
  viewed_at: null,
  buyer_reference: null,
  order_number: null,
  delivery_date: null,
  period: null,
  warnings: [] as object[],
  hosted_invoice_url: 'https://pay.example/i/1',
  pdf_url: 'https://pay.example/i/1.pdf',
  metadata: {},
};
const answers = {
  'GET /v1/invoices/inv_1': invoice,
  'GET /v1/invoices/inv_1/payments': listOf(),
  'GET /v1/invoices/inv_1/credit-notes': listOf(),
  'GET /v1/invoices/inv_1/reminders': listOf(),
  'GET /v1/events': listOf(exampleEvent('invoice.sent', invoice)),
};

async function openInvoice(more: Parameters<typeof serviceOf>[0] = {}, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({ ...answers, ...more });
  const { page, toasts, visits } = await mountPage('pay-invoice-page', { params: { id: 'inv_1' }, role });
  await waitUntil(() => textOf(page).includes('Ada Lovelace'));
  const press = async (name: string, selector = 'button') => {
    find(page, selector, name).click();
    await settle(page);
  };
  return { service, page, toasts, visits, press };
}

/** Presses a button that saves a file, and returns the file's name. */
async function savedBy(page: Element, label: string): Promise<string> {
  const { click } = HTMLAnchorElement.prototype;
  let name = '';
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    name = this.download;
  };
  try {
    find(page, 'button', label).click();
    await waitUntil(() => name !== '');
  } finally {
    HTMLAnchorElement.prototype.click = click;
  }
  return name;
}

describe('the list of invoices', () => {
  it('filters and exports by status, day and customer', async () => {
    const service = serviceOf({ 'GET /v1/invoices': listOf(invoice), 'GET /v1/invoices.csv': {} });
    const query = 'status=overdue&due_to=2026-12-31&find=ada@example.com';
    const { page } = await mountPage('pay-invoices-page', { query });
    await waitUntil(() => textOf(page).includes('INV-0042'));
    const asked = Object.fromEntries(service.callsOf('GET /v1/invoices')[0]?.query ?? []);
    expect(asked).to.include({ status: 'overdue', customer: 'ada@example.com', 'due_date[lte]': '2026-12-31' });
    await expect(page).shadowDom.to.be.accessible();
    expect(await savedBy(page, 'Export')).to.equal('invoices.csv');
    expect(Object.fromEntries(service.callsOf('GET /v1/invoices.csv')[0]?.query ?? [])).to.deep.equal({
      status: 'overdue',
      customer: 'ada@example.com',
      'due_date[lte]': '2026-12-31',
    });
  });
});

describe('the taxes of a period', () => {
  const line = {
    currency: 'EUR',
    name: 'VAT',
    percent: '19',
    category: 'standard',
    base: 10_000,
    amount: 1_900,
    invoiced: { base: 12_000, amount: 2_280 },
    credited: { base: 2_000, amount: 380 },
  };
  const answers = {
    'GET /v1/reports/taxes': {
      object: 'tax_report',
      data: [line, { ...line, name: '', percent: '0', category: 'export' }],
    },
    'GET /v1/reports/taxes.csv': {},
  };

  it('are shown by rate and category, and saved as CSV', async () => {
    const service = serviceOf(answers);
    const { page, visits } = await mountPage('pay-taxes-page', { query: 'from=2026-07-01&to=2026-09-30' });
    await waitUntil(() => textOf(page).includes('Standard rate'));
    expect(textOf(page)).to.match(/VAT 19% Standard rate €22\.80 of €120\.00 €3\.80 of €20\.00 €100\.00 net €19\.00/);
    expect(textOf(page)).to.contain('No tax 0% Export');
    await expect(page).shadowDom.to.be.accessible();
    expect(await savedBy(page, 'CSV')).to.equal('taxes-2026-07-01-2026-09-30.csv');
    for (const path of ['GET /v1/reports/taxes', 'GET /v1/reports/taxes.csv']) {
      expect(String(service.callsOf(path)[0]?.query)).to.equal('from=2026-07-01&to=2026-09-30');
    }
    const to = find<HTMLInputElement>(page, 'input[name=to]');
    to.value = '2026-10-31';
    to.dispatchEvent(new Event('change'));
    expect(visits).to.deep.equal(['/invoices/taxes?from=2026-07-01&to=2026-10-31']);
  });

  it('are those of the last month at first', async () => {
    const service = serviceOf(answers);
    const { page } = await mountPage('pay-taxes-page');
    await waitUntil(() => textOf(page).includes('Standard rate'));
    const { from, to } = Object.fromEntries(service.callsOf('GET /v1/reports/taxes')[0]?.query ?? []);
    const [first, next] = [new Date(`${from}T00:00:00`), new Date(`${to}T24:00:00`)];
    expect([first.getDate(), next.getDate()]).to.deep.equal([1, 1]);
    expect([next.getMonth(), next.getFullYear()]).to.deep.equal([new Date().getMonth(), new Date().getFullYear()]);
    expect((next.getTime() - first.getTime()) / 86_400_000).to.be.within(27, 32);
  });
});

describe('the page of an invoice', () => {
  it('shows lines, tax, money and history', async () => {
    const { page } = await openInvoice();
    expect(textOf(page)).to.match(/Design 2 h × €50\.00 €100\.00 VAT 19% €19\.00 Total €119\.00/);
    expect(textOf(page)).to.contain('Invoice sent');
    await expect(page).shadowDom.to.be.accessible();
  });

  const metadata = { project: 'Bonn' };
  const ofMetadata: readonly [status: string, role: 'owner' | 'viewer', mayEdit: boolean][] = [
    ['draft', 'owner', true],
    ['draft', 'viewer', false],
    ['sent', 'owner', false],
  ];
  for (const [status, role, mayEdit] of ofMetadata) {
    it(`shows the metadata of a ${status} invoice to its ${role}${mayEdit ? ', and changes it' : ''}`, async () => {
      const answer = { ...invoice, status, metadata };
      const more = { 'GET /v1/invoices/inv_1': answer, 'PATCH /v1/invoices/inv_1': answer };
      const { page, service, press } = await openInvoice(more, role);
      expect(textOf(page)).to.match(/Metadata (Edit )?project Bonn/);
      expect([...deep(page.shadowRoot as ShadowRoot)].some(each => each.ariaLabel === 'Edit metadata')).to.equal(
        mayEdit,
      );
      if (!mayEdit) return;
      await press('Edit metadata');
      const input = find<HTMLInputElement>(page, 'input[name=value_0]');
      input.value = 'Köln';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await settle(page);
      await press('Save');
      expect(service.callsOf('PATCH /v1/invoices/inv_1')[0]?.body).to.deep.equal({ metadata: { project: 'Köln' } });
    });
  }

  const lack = { code: 'einvoice_unavailable', message: 'The customer has no city.', param: 'customer.address.city' };

  it('saves the XML and, with a buyer reference, the XRechnung', async () => {
    const files = {
      'GET /v1/invoices/inv_1': { ...invoice, number: 'R/7', buyer_reference: '04011000-12345-03' },
      'GET /v1/invoices/inv_1/xml': {},
    };
    const { service, page } = await openInvoice(files);
    const names = [await savedBy(page, 'XML'), await savedBy(page, 'XRechnung')];
    expect(names).to.deep.equal(['R_7.xml', 'R_7-xrechnung.xml']);
    const asked = service.callsOf('GET /v1/invoices/inv_1/xml').map(({ query }) => query.get('format'));
    expect(asked).to.deep.equal([null, 'xrechnung']);
    expect(find(page, 'a', 'PDF').getAttribute('href')).to.equal(invoice.pdf_url);
  });

  const lacking: readonly [status: string, heading: string, href: string][] = [
    ['draft', 'It would be sent without e-invoice', '/dashboard/invoices/inv_1/edit?field=customer.address.city'],
    ['sent', 'It was sent without e-invoice', '/dashboard/customers/cus_1'],
  ];
  for (const [status, heading, href] of lacking) {
    it(`leads from a ${status} invoice to the fields that the e-invoice lacks`, async () => {
      const { page } = await openInvoice({ 'GET /v1/invoices/inv_1': { ...invoice, status, warnings: [lack] } });
      expect(textOf(page)).to.contain(heading);
      expect(find(page, '.lacks a', lack.message).getAttribute('href')).to.equal(href);
      expect(textOf(page)).not.to.contain('XML');
      await expect(page).shadowDom.to.be.accessible();
    });
  }

  it('names the VAT category of a line, with quantities and rates in the locale’s form', async () => {
    const vat = { category: 'exempt', exemption_reason: '§ 4 Nr. 21 UStG' };
    const [line] = invoice.lines;
    const { page } = await openInvoice({
      'GET /v1/invoices/inv_1': {
        ...invoice,
        lines: [{ ...line, quantity: '1250.5', vat }],
        taxes: [{ name: 'VAT', percent: '9.975', inclusive: false, amount: 1_900, base: 10_000 }],
        order_number: 'B-7',
        period: { starts_on: '2026-11-01', ends_on: '2026-11-30' },
      },
    });
    expect(textOf(page)).to.match(/Order number B-7 Service Nov 1, 2026 – Nov 30, 2026/);
    expect(textOf(page)).to.match(/1,250\.5 h × €50\.00 Exempt: § 4 Nr\. 21 UStG €100\.00 VAT 9\.975% €19\.00/);
  });

  it('is copied into a draft, which the editor opens', async () => {
    const { service, press, visits } = await openInvoice({ 'POST /v1/invoices/inv_1/duplicate': { id: 'inv_2' } });
    await press('Copy');
    expect(service.callsOf('POST /v1/invoices/inv_1/duplicate')).to.have.length(0);
    await press('Copy', 'button[slot=buttons]');
    await waitUntil(() => visits.includes('/invoices/inv_2/edit'));
  });

  for (const [label, path, toast] of [
    ['Send again', 'send', 'INV-0042 sent again'],
    ['Mark uncollectible', 'mark-uncollectible', 'INV-0042 marked uncollectible'],
  ] as const) {
    it(`offers for a sent invoice: ${label}`, async () => {
      const call = `POST /v1/invoices/inv_1/${path}`;
      const { service, press, toasts } = await openInvoice({ [call]: invoice });
      await press(label);
      expect(service.callsOf(call)).to.have.length(0);
      find(document.body, 'button[slot=buttons]:not(.second)').click();
      await waitUntil(() => toasts.length === 1);
      expect([toasts[0]?.text, service.callsOf(call).length]).to.deep.equal([toast, 1]);
    });
  }

  for (const [status, words] of [
    ['planned', 'Planned'],
    ['dropped', 'Not needed'],
  ] as const) {
    it(`calls a reminder that is ${status} ${words}`, async () => {
      const { page } = await openInvoice({
        'GET /v1/invoices/inv_1/reminders': listOf({ id: 'rem_1', status, remind_at: '2026-12-08T09:00:00Z' }),
      });
      expect(textOf(page)).to.match(new RegExp(`Reminders Dec \\d[^A-Z]*[AP]M ${words}`));
    });
  }

  const creditable = {
    object: 'credit_note_preview',
    invoice: 'inv_1',
    currency: 'EUR',
    amount: 11_900,
    amount_off: 11_900,
    lines: [],
    taxes: [],
    tax_total: 1_900,
    amount_to_credit: 0,
    amount_for_refunds: 0,
    creditable: { amount: 11_900, lines: [{ line: 0, quantity: '2', amount: 11_900 }] },
  };
  const halfCredited = {
    ...creditable,
    amount: 5_950,
    amount_off: 4_000,
    amount_to_credit: 1_950,
    lines: [{ line: 0, quantity: '1', tax_total: 950, amount: 5_950 }],
    taxes: [{ name: 'VAT', percent: '19', inclusive: false, amount: 950, base: 5_000 }],
  };
  const previewCall = 'POST /v1/invoices/inv_1/credit-notes/preview';

  async function openCredit() {
    const opened = await openInvoice({
      [previewCall]: ({ body }: ServiceCall) => (Object.keys(body).length === 0 ? creditable : halfCredited),
      'POST /v1/invoices/inv_1/credit-notes': { id: 'cn_1', number: 'CN-0001', amount: 5_950 },
    });
    const { page, press } = opened;
    await press('Credit note');
    await waitUntil(() => textOf(page).includes('Left: 2 h, €119.00'));
    const put = async (selector: string, text: string) => {
      const input = find<HTMLInputElement>(page, selector);
      input.value = text;
      input.dispatchEvent(new Event(input.matches('select') ? 'change' : 'input'));
      await settle(page);
    };
    return { ...opened, put };
  }

  it('credits a quantity of a line after the service has said what becomes of it', async () => {
    const { service, page, toasts, press, put } = await openCredit();
    await put('[name="lines[0].quantity"]', '1');
    await waitUntil(() => textOf(page).includes('Less to pay €40.00'));
    expect(textOf(page)).to.match(/Design, 1 h €59\.50 Of it VAT 19 % €9\.50 .*customer’s credit €19\.50/);
    await expect(find(page, 'form')).to.be.accessible();
    await press('Credit €59.50');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/invoices/inv_1/credit-notes')[0]?.body).to.deep.equal({
      lines: [{ line: 0, quantity: '1' }],
      reason: 'requested_by_customer',
    });
  });

  it('credits a tax rate, an amount, or all of a line', async () => {
    const { service, page, put, press } = await openCredit();
    const asked = () => service.callsOf(previewCall).at(-1)?.body;
    await press('All of line 1');
    await waitUntil(() => find<HTMLButtonElement>(page, 'button', 'Credit €59.50'));
    expect(asked()).to.deep.equal({ lines: [{ line: 0, amount: 11_900 }] });
    await put('[name=by]', 'rates');
    find(page, '[name="rates[0]"]').click();
    await waitUntil(() => JSON.stringify(asked()) === '{"rates":[{"name":"VAT","percent":"19"}]}');
    await put('[name=by]', 'amount');
    await put('[name=amount]', '59.50');
    await waitUntil(() => JSON.stringify(asked()) === '{"amount":5950}');
    await put('[name=amount]', '119.01');
    expect(textOf(page)).to.contain('Type an amount up to €119.00.');
    expect(find<HTMLButtonElement>(page, 'button[form]').disabled).to.equal(true);
  });

  it('shows at the line what the service refuses, and no button for it', async () => {
    const { service, page, put } = await openCredit();
    const message = 'Only a quantity of 2 of this line is left to credit.';
    service.answers[previewCall] = new Refusal(400, 'amount_out_of_range', message, 'lines[0].quantity');
    await put('[name="lines[0].quantity"]', '3');
    await waitUntil(() => textOf(page).includes(message));
    expect(find(page, '[name="lines[0].quantity"]').getAttribute('aria-invalid')).to.equal('true');
    expect(find<HTMLButtonElement>(page, 'button[form]', 'Credit note').disabled).to.equal(true);
  });

  it('reminds by mail, and shows a refused address at its field', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'This is no e-mail address.', 'email');
    const { page, press } = await openInvoice({ 'POST /v1/invoices/inv_1/remind': refused });
    await press('Remind');
    await press('Send reminder');
    await waitUntil(() => textOf(page).includes('This is no e-mail address.'));
    expect(find(page, 'input[name=email]').getAttribute('aria-invalid')).to.equal('true');
  });

  it('cancels only after a warning, and offers nothing to viewers', async () => {
    const { service, page, press, toasts } = await openInvoice({ 'POST /v1/invoices/inv_1/void': invoice });
    await press('Cancel');
    expect(textOf(page)).to.contain('it cannot be opened again');
    expect(service.callsOf('POST /v1/invoices/inv_1/void')).to.have.length(0);
    await press('Cancel invoice', 'button.danger');
    await waitUntil(() => toasts.length === 1);
    tidyUp();
    const viewer = await openInvoice({}, 'viewer');
    expect(textOf(viewer.page)).not.to.contain('Remind ');
  });
});
