import '../../src/dashboard/invoices/recurring/recurring-editor.ts';
import '../../src/dashboard/invoices/recurring/recurring-list-page.ts';
import '../../src/dashboard/invoices/recurring/recurring-page.ts';
import { expect } from '@open-wc/testing';
import { emptySchedule, ruleWords, typedSchedule } from '../../src/dashboard/invoices/recurring/schedule.ts';
import { type Answer, listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const template = {
  customer: { name: 'Lindqvist AB', email: 'accounts@lindqvist.example' },
  currency: 'EUR',
  lines: [{ description: 'Care', unit_amount: 12_000 }],
  payment_methods: ['card'],
};
const schedule = {
  id: 'rinv_1',
  object: 'recurring_invoice',
  status: 'active',
  rrule: 'FREQ=MONTHLY;BYMONTHDAY=1',
  starts_on: '2026-01-01',
  ends_on: null,
  count: 12,
  timezone: 'Europe/Berlin',
  auto_send: true,
  invoice: template,
  occurrences: 2,
  next_on: '2026-12-01',
  last_error: null,
  metadata: {},
  livemode: false,
  created_at: '2026-01-01T09:00:00.000Z',
};
const preview = {
  object: 'invoice_preview',
  currency: 'EUR',
  subtotal: 12_000,
  discount_total: 0,
  total: 12_000,
  taxes: [],
  customer: { id: 'cus_1', name: 'Lindqvist AB', email: 'accounts@lindqvist.example', address: null, tax_id: null },
  lines: [
    {
      description: 'Care',
      quantity: '1',
      unit: null,
      unit_amount: 12_000,
      discount: null,
      taxes: [],
      subtotal: 12_000,
    },
  ],
  due_date: null,
  days_until_due: 30,
  discount: null,
  installments: [],
  locale: 'en',
  reference: null,
  memo: null,
  footer: null,
  buyer_reference: null,
  order_number: null,
  delivery_date: null,
  period: null,
  deposit: null,
  allow_partial: false,
  payment_methods: ['card'],
  settlement_asset: 'USDC',
  number_prefix: 'INV',
  exchange: null,
  reminders: { enabled: true, offsets_days: [0] },
  warnings: [] as object[],
};
const issued = { ...preview, id: 'inv_1', object: 'invoice', number: 'INV-0007', status: 'paid' };
const occurrence = {
  object: 'recurring_occurrence',
  day: '2026-11-01',
  invoice: 'inv_1',
  created_at: schedule.created_at,
};

const standing: Record<string, Answer> = {
  'GET /v1/recurring-invoices': listOf(schedule),
  'GET /v1/recurring-invoices/rinv_1': schedule,
  'GET /v1/recurring-invoices/rinv_1/occurrences': listOf(occurrence),
  'GET /v1/invoices/inv_1': issued,
  'GET /v1/customers': listOf(),
  'POST /v1/invoices/preview': preview,
};

it('the list of recurring invoices says how often, for whom, and when the next one comes', async () => {
  serviceOf(standing);
  const { page } = await mountPage('pay-recurring-list-page');
  await waitUntil(() => textOf(page).includes('Lindqvist AB'));
  expect(textOf(page)).to.match(/Every month on day 1.*Active.*Dec 1/);
  expect(find(page, 'a', 'New recurring invoice').getAttribute('href')).to.equal('/dashboard/invoices/recurring/new');
  await expect(page).shadowDom.to.be.accessible();
});

describe('the page of a recurring invoice', () => {
  const open = async (more: Record<string, Answer> = {}, role: 'owner' | 'viewer' = 'owner') => {
    const service = serviceOf({ ...standing, ...more });
    const mounted = await mountPage('pay-recurring-page', { params: { id: 'rinv_1' }, role });
    await waitUntil(() => textOf(mounted.page).includes('Every month'));
    return { ...mounted, service };
  };

  it('shows the next invoice, the rule, the amount and past invoices', async () => {
    const { page } = await open();
    await waitUntil(() => textOf(page).includes('INV-0007'));
    expect(textOf(page)).to.match(/2 of 12.*/);
    expect(textOf(page)).to.contain('€120.00');
    expect(find(page, 'a', 'INV-0007').getAttribute('href')).to.equal('/dashboard/invoices/inv_1');
    await expect(page).shadowDom.to.be.accessible();
  });

  it('says why the last invoice could not be made', async () => {
    const last_error = 'There is no rate for GONE.';
    const refused = new Refusal(400, 'parameter_invalid', 'No.');
    const { page } = await open({
      'GET /v1/recurring-invoices/rinv_1': { ...schedule, last_error },
      'POST /v1/invoices/preview': refused,
    });
    expect(textOf(page)).to.contain(last_error);
  });

  const steps = [
    ['active', 'Pause', 'Pause', 'pause', 'paused', 'Paused'],
    ['paused', 'Resume', 'Resume', 'resume', 'active', 'Active'],
    ['active', 'End', 'End it', 'end', 'ended', 'Ended'],
  ] as const;
  for (const [status, button, confirm, step, after, words] of steps) {
    it(`${button} asks first, and shows what the service answers`, async () => {
      const { page, service, toasts } = await open({
        'GET /v1/recurring-invoices/rinv_1': { ...schedule, status },
        [`POST /v1/recurring-invoices/rinv_1/${step}`]: { ...schedule, status: after },
      });
      find(page, '.actions button', button).click();
      await settle(page);
      expect(service.callsOf(`POST /v1/recurring-invoices/rinv_1/${step}`)).to.deep.equal([]);
      service.answers['GET /v1/recurring-invoices/rinv_1'] = { ...schedule, status: after };
      find(page, 'button[slot=buttons]', confirm).click();
      await waitUntil(() => toasts.length === 1 && textOf(page).includes(words));
    });
  }

  it('offers a viewer nothing', async () => {
    const { page } = await open({}, 'viewer');
    expect(page.shadowRoot?.querySelectorAll('.actions button, .actions a').length).to.equal(0);
  });
});

describe('the editor of a recurring invoice', () => {
  const open = async (query = '', more: Record<string, Answer> = {}) => {
    const service = serviceOf({ ...standing, ...more });
    const mounted = await mountPage('pay-recurring-editor', { query });
    const { page } = mounted;
    await waitUntil(() => textOf(page).includes('Start …'));
    const type = async (name: string, text: string) => {
      const input = find<HTMLInputElement>(page, `[name="${name}"]`);
      input.value = text;
      input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
      await settle(page);
    };
    const press = async (name: string, from = 'button') => {
      find(page, from, name).click();
      await settle(page);
    };
    return { ...mounted, service, type, press };
  };
  const made = 'POST /v1/recurring-invoices';

  it('starts a schedule after a table has shown what will happen', async () => {
    const { page, service, visits, type, press } = await open('', { [made]: schedule });
    await press('Start …');
    expect(textOf(page)).to.contain('Choose the first day.');
    await type('customer.email', 'accounts@lindqvist.example');
    await type('lines[0].description', 'Care');
    await type('lines[0].price', '120');
    await type('starts_on', '2999-01-31');
    await type('until', 'count');
    await type('count', '12');
    await waitUntil(() => textOf(page).includes('Total €120.00'));
    await expect(page).shadowDom.to.be.accessible();
    await press('Start …');
    expect(textOf(page)).to.match(/Every month on the last day.*€120\.00.*accounts@lindqvist\.example.*12 invoices/);
    await press('Start', 'button[slot=buttons]');
    await waitUntil(() => visits.length === 1);
    expect(visits).to.deep.equal(['/invoices/recurring/rinv_1']);
    const { invoice, ...rest } = (service.callsOf(made)[0]?.body ?? {}) as Record<string, Record<string, unknown>>;
    expect(rest).to.deep.equal({
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
      starts_on: '2999-01-31',
      ends_on: null,
      count: 12,
      auto_send: true,
    });
    expect([
      invoice?.['days_until_due'],
      'due_date' in (invoice ?? {}),
      'installments' in (invoice ?? {}),
    ]).to.deep.equal([...[30, false, false]]);
  });

  it('shows a refusal at its field', async () => {
    const refusal = new Refusal(400, 'invalid_currency', 'EURO is no currency.', 'invoice.currency');
    const totals = Promise.withResolvers<object>();
    const computed = 'POST /v1/invoices/preview';
    const { page, service, type, press } = await open('', { [made]: refusal, [computed]: () => totals.promise });
    await type('lines[0].description', 'Care');
    await type('lines[0].price', '120');
    await type('starts_on', '2999-01-01');
    await waitUntil(() => service.callsOf(computed).length === 1);
    await press('Start …');
    await press('Start', 'button[slot=buttons]');
    await waitUntil(() => textOf(page).includes('EURO is no currency.'));
    // Totals that were asked for before the refusal leave its message.
    totals.resolve(preview);
    await waitUntil(() => textOf(page).includes('Total €120.00'));
    expect(textOf(page)).to.contain('EURO is no currency.');
    expect(find(page, '[name=currency]').getAttribute('aria-invalid')).to.equal('true');
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'currency');
    expect(textOf(page)).not.to.contain('Start this schedule?');
  });

  it('has the details of an e-invoice, without days', async () => {
    const warnings = [{ code: 'einvoice_unavailable', param: 'customer.name', message: 'The customer has no name.' }];
    const answers = { [made]: schedule, 'POST /v1/invoices/preview': { ...preview, warnings } };
    const { page, service, type, press, visits } = await open('', answers);
    await type('lines[0].description', 'Care');
    await type('lines[0].price', '120');
    await type('lines[0].category', 'reverse_charge');
    await type('buyer_reference', '04011000-12345-03');
    await type('starts_on', '2999-01-01');
    await waitUntil(() => textOf(page).includes('It would be sent without e-invoice'));
    expect(() => find(page, '[name=delivery_date]')).to.throw();
    await press('Start …');
    await press('Start', 'button[slot=buttons]');
    await waitUntil(() => visits.length === 1);
    const { invoice } = (service.callsOf(made)[0]?.body ?? {}) as Record<string, Record<string, unknown>>;
    expect(invoice).to.deep.include({ buyer_reference: '04011000-12345-03', order_number: null });
    expect(Object.keys(invoice ?? {})).not.to.include.members(['delivery_date', 'period']);
  });

  it('takes the invoice and the rule of another schedule, with fields that it does not show', async () => {
    const { service, type, press, visits } = await open('from=rinv_1', { [made]: schedule });
    await type('lines[0].price', '150');
    await type('starts_on', '2999-02-01');
    await press('Start …');
    await press('Start', 'button[slot=buttons]');
    await waitUntil(() => visits.length === 1);
    const { invoice, rrule } = (service.callsOf(made)[0]?.body ?? {}) as Record<string, Record<string, unknown>>;
    expect([rrule, invoice?.['payment_methods'], invoice?.['lines']]).to.deep.equal([
      ...['FREQ=MONTHLY;BYMONTHDAY=1', ['card'], [{ description: 'Care', quantity: '1', unit_amount: 15_000 }]],
    ]);
  });
});

describe('the rule of a schedule', () => {
  const rules: readonly [unit: string, every: string, starts: string, rule: string, words: string][] = [
    ['months', '1', '2026-03-15', 'FREQ=MONTHLY;BYMONTHDAY=15', 'Every month on day 15'],
    ['months', '3', '2026-03-31', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', 'Every 3 months on the last day'],
    [
      ...(['months', '1', '2026-01-30'] as const),
      ...(['FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1', 'Every month on day 30, or the last'] as const),
    ],
    ['weeks', '2', '2026-03-16', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'Every 2 weeks on Monday'],
    ['years', '1', '2026-03-16', 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=16', 'Every year on March 16'],
    ['years', '1', '2028-02-29', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1', 'Every year on the last day of February'],
  ];
  for (const [unit, every, starts_on, rule, words] of rules) {
    it(words, () => {
      const { body } = typedSchedule({ ...emptySchedule, unit, every, starts_on });
      expect([body.rrule, ruleWords(rule)]).to.deep.equal([rule, words]);
    });
  }

  it('is shown as it is if there are no words for it', () => {
    expect(ruleWords('FREQ=MONTHLY;BYDAY=2MO')).to.equal('FREQ=MONTHLY;BYDAY=2MO');
  });

  const wrong: readonly [string, object, string, string][] = [
    ['no first day', { starts_on: '' }, 'starts_on', 'Choose the first day.'],
    ['a broken interval', { every: 'x' }, 'every', 'Write a number from 1 on.'],
    ['no last day', { until: 'day', ends_on: '' }, 'ends_on', 'Choose the last day.'],
    ['no number of invoices', { until: 'count', count: '0' }, 'count', 'Write a number from 1 on.'],
    ['no rule', { unit: 'rule', rrule: ' ' }, 'rrule', 'Write the rule.'],
  ];
  for (const [name, values, field, message] of wrong) {
    it(`needs ${name} mended`, () => {
      const typed = typedSchedule({ ...emptySchedule, starts_on: '2026-01-01', ...values });
      expect({ ...typed.wrong, ...typed.missing }).to.deep.equal({ [field]: message });
    });
  }
});
