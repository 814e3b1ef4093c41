import '../../src/dashboard/invoices/editor/invoice-editor.ts';
import { expect } from '@open-wc/testing';
import { type Answer, Refusal } from './support/fake-service.ts';
import { draft, openEditor, preview } from './support/invoice-editor.ts';
import { deep, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

type Body = Record<string, unknown> & { readonly lines: readonly Record<string, unknown>[] };

/** What the editor asks the service to save after one line and these steps. */
async function saved(typing: (opened: Awaited<ReturnType<typeof openEditor>>) => Promise<unknown>): Promise<Body> {
  const opened = await openEditor({ 'POST /v1/invoices': draft });
  await opened.type('Description', 'Design');
  await opened.type('Price of one', '100');
  await typing(opened);
  await opened.press('Save draft');
  await waitUntil(() => opened.visits.length === 1);
  return opened.service.callsOf('POST /v1/invoices')[0]?.body as Body;
}

describe('the VAT category of a line', () => {
  const categories: readonly [category: string, reason: string, vat: object][] = [
    ['zero', '', { category: 'zero' }],
    ['exempt', '§ 4 Nr. 21 UStG', { category: 'exempt', exemption_reason: '§ 4 Nr. 21 UStG' }],
    ['reverse_charge', '', { category: 'reverse_charge' }],
    ['intra_eu', '', { category: 'intra_eu' }],
    ['export', '', { category: 'export' }],
    ['outside_scope', '', { category: 'outside_scope' }],
  ];
  for (const [category, reason, vat] of categories) {
    it(`${category} replaces the tax, with ${reason || 'the usual reason'}`, async () => {
      const { lines } = await saved(async ({ type, page }) => {
        await type('Tax %', '19');
        await type('VAT category', category);
        if (reason !== '') await type('Why there is no tax', reason);
        expect(textOf(page)).not.to.contain('Tax %');
      });
      expect(lines).to.deep.equal([{ description: 'Design', quantity: '1', unit_amount: 10_000, vat }]);
    });
  }

  it('standard keeps the tax, and asks for its rate', async () => {
    const { lines } = await saved(async ({ page, type, press, field }) => {
      await type('VAT category', 'standard');
      await press('Save draft');
      expect(textOf(page)).to.contain('Type the rate.');
      await waitUntil(() => page.shadowRoot?.activeElement === field('Tax %'));
      await type('Tax %', '7');
    });
    const [line] = lines;
    expect(line?.['vat']).to.deep.equal({ category: 'standard' });
    expect(line?.['tax']).to.deep.include({ percent: '7' });
  });

  it('of a draft stays, with taxes that the form does not show', async () => {
    const taxes = [
      { name: 'GST', percent: '5', inclusive: false, compound: false, amount: 250 },
      { name: 'QST', percent: '9.975', inclusive: false, compound: true, amount: 524 },
    ];
    const [first, second] = draft.lines;
    const vat = { category: 'exempt', exemption_reason: 'Teaching' };
    const lines = [
      { ...first, taxes, vat: { category: 'standard', exemption_reason: null } },
      { ...second, taxes: [], vat },
    ];
    const kept = { 'GET /v1/invoices/inv_1': { ...draft, lines }, 'PATCH /v1/invoices/inv_1': draft };
    const { service, press, field, visits } = await openEditor(kept, 'inv_1');
    expect(field('Why there is no tax').value).to.equal('Teaching');
    await press('Save draft');
    await waitUntil(() => visits.length === 1);
    const body = service.callsOf('PATCH /v1/invoices/inv_1')[0]?.body as Body;
    expect(body.lines.map(line => line['vat'])).to.deep.equal([{ category: 'standard' }, vat]);
    expect(body.lines[0]?.['taxes']).to.deep.equal(taxes.map(({ amount: _amount, ...tax }) => tax));
  });
});

describe('the details of an invoice', () => {
  it('are in closed groups with the service’s defaults', async () => {
    const { page } = await openEditor();
    const groups = [...deep(page.shadowRoot as ShadowRoot)].filter(each => each instanceof HTMLDetailsElement);
    const words = groups.map(({ open, firstElementChild }) => [open, firstElementChild?.firstChild?.textContent]);
    expect(words.map(([open]) => open)).to.deep.equal([false, false, false, false, false]);
  });

  const details: readonly [what: string, typed: readonly (readonly [string, string])[], fields: object][] = [
    [
      'the buyer’s references',
      [
        ...([
          ['Buyer reference', '04011000-12345-03'],
          ['Order number', 'B-7'],
        ] as const),
      ],
      { buyer_reference: '04011000-12345-03', order_number: 'B-7' },
    ],
    ['a day of delivery', [['Delivered on', '2026-11-05']], { delivery_date: '2026-11-05', period: null }],
    [
      'a period of service',
      [
        ...([
          ['Service from', '2026-11-01'],
          ['Service until', '2026-11-30'],
        ] as const),
      ],
      { delivery_date: null, period: { starts_on: '2026-11-01', ends_on: '2026-11-30' } },
    ],
    [
      'a deposit',
      [
        ...([
          ['Deposit', '30 %'],
          ['Deposit due', '2026-12-01'],
        ] as const),
      ],
      { deposit: { percent: '30', due_date: '2026-12-01' } },
    ],
    ['an amount as deposit', [['Deposit', '12.50']], { deposit: { amount: 1_250 } }],
    [
      'a second currency',
      [
        ...([
          ['Second currency', 'chf'],
          ['Its rate', '0,94'],
        ] as const),
      ],
      { exchange: { currency: 'CHF', rate: '0.94' } },
    ],
    ['own reminders', [['Days of reminders', '−7, 0 14']], { reminders: { enabled: true, offsets_days: [-7, 0, 14] } }],
    [
      'language, prefix and asset',
      [
        ...([
          ['Language', 'en-GB'],
          ['Prefix of the number', 'B2G'],
          ['Becomes', 'EURC'],
        ] as const),
      ],
      { locale: 'en-GB', number_prefix: 'B2G', settlement_asset: 'EURC' },
    ],
  ];
  for (const [what, typed, fields] of details) {
    it(`can be ${what}`, async () => {
      const body = await saved(async ({ type }) => {
        for (const [label, text] of typed) await type(label, text);
      });
      expect(body).to.deep.include(fields);
    });
  }

  it('name the ways to pay, of which there is one at least', async () => {
    const body = await saved(async ({ page, press }) => {
      const box = (name: string) => find<HTMLInputElement>(page, `[name="payment_methods.${name}"]`);
      for (const name of ['card', 'crypto', 'mobile_money', 'bank_transfer']) {
        box(name).click();
        await settle(page);
      }
      await press('Save draft');
      expect(textOf(page)).to.contain('Choose at least one way to pay.');
      await waitUntil(() => page.shadowRoot?.activeElement === box('card'));
      box('bank_transfer').click();
      await settle(page);
      find<HTMLInputElement>(page, '[name=allow_partial]').click();
      await settle(page);
      find<HTMLInputElement>(page, '[name=reminders]').click();
    });
    expect(body).to.deep.include({ payment_methods: ['bank_transfer'], allow_partial: true });
    expect(body['reminders']).to.deep.include({ enabled: false });
  });

  it('need both days of a period, and days as numbers', async () => {
    const { page, type, press, field } = await openEditor();
    await type('Description', 'Design');
    await type('Price of one', '100');
    await type('Days of reminders', 'never');
    expect(textOf(page)).to.contain('Write days, for example -3, 0, 3.');
    await type('Days of reminders', '0');
    await type('Service from', '2026-11-01');
    await press('Save draft');
    expect(textOf(page)).to.contain('Choose the last day.');
    await waitUntil(() => page.shadowRoot?.activeElement === field('Service until'));
  });

  it('show refusals at their fields, in an opened group and with the focus', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'Take a shorter prefix.', 'number_prefix');
    const { page, type, press, field } = await openEditor({ 'POST /v1/invoices': refused });
    await type('Description', 'Design');
    await type('Price of one', '100');
    await press('Save draft');
    await waitUntil(() => page.shadowRoot?.activeElement === field('Prefix of the number'));
    expect(field('Prefix of the number').getAttribute('aria-invalid')).to.equal('true');
    await expect(page).shadowDom.to.be.accessible();
  });

  it('show a refusal that no field has at the foot', async () => {
    const refused = new Refusal(400, 'invalid_amount', 'The amount is too large.', 'lines');
    const { page, type, press } = await openEditor({ 'POST /v1/invoices': refused });
    await type('Description', 'Design');
    await type('Price of one', '100');
    await press('Save draft');
    await waitUntil(() => textOf(find(page, '[role=alert]')).includes('The amount is too large.'));
  });

  it('show at their fields what sending refuses', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'The font has no ꙮ.', 'lines[0].description');
    const { page, type, press, field } = await openEditor({
      'POST /v1/invoices': draft,
      'POST /v1/invoices/inv_1/send': refused,
    });
    await type('Description', 'ꙮ');
    await type('Price of one', '100');
    await press('Send …');
    await waitUntil(() => textOf(page).includes('Send this invoice?'));
    await press('Send');
    await waitUntil(() => page.shadowRoot?.activeElement === field('Description'));
    expect(textOf(page)).to.contain('The font has no ꙮ.').and.not.to.contain('Send this invoice?');
  });
});

describe('what keeps the e-invoice out', () => {
  const warn = (param: string, message: string) => ({ code: 'einvoice_unavailable', param, message });
  const warnings = [
    warn('account.contact.phone', 'The contact person has no phone number.'),
    warn('customer.address.city', 'The customer has no city.'),
    warn('lines.vat.category', 'Lines outside of the scope need an invoice of their own.'),
  ];
  const lacking: Record<string, Answer> = { 'POST /v1/invoices/inv_1/preview': { ...preview, warnings } };
  const outside = { category: 'outside_scope', exemption_reason: null };
  const lines = draft.lines.map((line, index) => (index === 1 ? { ...line, taxes: [], vat: outside } : line));

  it('stands beside its fields and in a summary, whose links lead to them', async () => {
    const { page, field } = await openEditor({ ...lacking, 'GET /v1/invoices/inv_1': { ...draft, lines } }, 'inv_1');
    await waitUntil(() => textOf(page).includes('It would be sent without e-invoice'));
    const link = (text: string) => find<HTMLAnchorElement>(page, '.lacks a', text);
    expect(link('The contact person has no phone number.').getAttribute('href')).to.equal(
      '/dashboard/settings?field=contact.phone',
    );
    const noteOf = (input: Element) =>
      page.shadowRoot?.getElementById(input.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
    expect(noteOf(field('City'))).to.contain('The customer has no city.');
    expect(noteOf(field('VAT category', 1))).to.contain('need an invoice of their own');
    for (const [text, input] of [
      ['The customer has no city.', field('City')],
      ['Lines outside of the scope need an invoice of their own.', field('VAT category', 1)],
    ] as const) {
      link(text).click();
      expect(page.shadowRoot?.activeElement === input).to.equal(true);
      expect(input.checkVisibility()).to.equal(true);
    }
    await expect(page).shadowDom.to.be.accessible();
  });

  it('is named before the sending', async () => {
    const { page, press } = await openEditor({ ...lacking, 'PATCH /v1/invoices/inv_1': draft }, 'inv_1');
    await waitUntil(() => textOf(page).includes('It would be sent without e-invoice'));
    await press('Send …');
    await waitUntil(() => textOf(page).includes('Without e-invoice 3 details are missing'));
  });

  it('may be an XRechnung only', async () => {
    const only = [{ ...warn('customer.email', 'The customer has no e-mail address.'), code: 'xrechnung_unavailable' }];
    const answers = { 'POST /v1/invoices/inv_1/preview': { ...preview, warnings: only } };
    const { page } = await openEditor(answers, 'inv_1');
    await waitUntil(() => textOf(page).includes('It would be sent without XRechnung'));
  });

  it('opens the editor at a field that another page names', async () => {
    serviceOf({ 'GET /v1/customers': { data: [] }, 'GET /v1/invoices/inv_1': draft, ...lacking });
    const { page } = await mountPage('pay-invoice-editor', { params: { id: 'inv_1' }, query: 'field=customer.tax_id' });
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'customer.tax_id');
  });
});
