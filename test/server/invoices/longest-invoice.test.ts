import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countPages } from '../../support/read-pdf.ts';
import { longestLines, scripts } from '../../torture/longest-texts.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab.close());

const customer = { email: 'ada@example.com' };
it.each(scripts.filter(([name]) => name === 'Latin words'))(
  'the longest accepted invoice can be drawn: %s',
  async (_, locale, letters) => {
    const invoice = await lab.sent({ customer, locale, lines: longestLines(letters) });
    const pdf = await lab.request(`GET /v1/invoices/${invoice.id}/pdf`);
    expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-']);
    expect(await countPages(pdf.bytes)).toBeGreaterThan(2);
  },
);

describe('a longer one', () => {
  const tooLong = 80_001;
  const refused = (invoice: object) => lab.request('POST /v1/invoices', { body: { ...order, customer, ...invoice } });

  it.each<[string, object]>([
    ['descriptions', { lines: longestLines(() => 'a', 1) }],
    ['line ends', { lines: longestLines(() => '\n', 1) }],
    ['a memo beside them', { lines: longestLines(() => 'a'), memo: 'b' }],
    ['a footer beside them', { lines: longestLines(() => 'a'), footer: 'b' }],
    ['a name beside them', { lines: longestLines(() => 'a'), customer: { name: 'b' } }],
    [
      'names of taxes',
      {
        lines: Array.from({ length: 1000 }, (_, index) => ({
          description: index === 0 ? 'ab' : 'a',
          unit_amount: 1,
          taxes: [1, 2].map(percent => ({ name: `${index}-${percent}`.padEnd(39, 'x'), percent })),
          unit: 'h',
        })),
      },
    ],
  ])('is refused as a draft: %s', async (_, changes) => {
    const answer = await refused(changes);
    expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'lines']);
    expect(answer.body.error.message).toContain(`may have 80000 characters, line ends included. They have ${tooLong}`);
  });

  it('is refused when a draft is changed, and as a recurring invoice', async () => {
    const { id } = await lab.draft();
    const changed = await lab.request(`PATCH /v1/invoices/${id}`, { body: { lines: longestLines(() => 'a', 1) } });
    expect(refusal(changed)).toEqual([400, 'parameter_invalid', 'lines']);
    expect((await lab.readInvoice(id)).lines).toHaveLength(1);
    const invoice = { customer, currency: 'EUR', lines: longestLines(() => 'a', 1) };
    const body = { rrule: 'FREQ=MONTHLY;BYMONTHDAY=1', starts_on: '2026-01-01', invoice };
    const recurring = await lab.request('POST /v1/recurring-invoices', { body });
    expect([recurring.status, recurring.body.error?.param]).toEqual([400, expect.stringMatching(/lines$/)]);
  });
});
