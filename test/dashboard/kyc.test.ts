import '../../src/dashboard/customers/customer-page.ts';
import '../../src/dashboard/customers/kyc/kyc-page.ts';
import { expect } from '@open-wc/testing';
import type { Kyc } from '../../src/api/kyc/kyc.ts';
import { exampleKyc } from './support/example-ramp.ts';
import { type Answer, listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const ada = {
  id: 'cus_1',
  object: 'customer',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  address: null,
  metadata: {},
  created_at: '2026-11-20T09:00:00.000Z',
};

async function openCustomer(kyc: Kyc, answers: Record<string, Answer> = {}, role: 'finance' | 'viewer' = 'finance') {
  const service = serviceOf({
    'GET /v1/customers/cus_1': ada,
    'GET /v1/payments': listOf(),
    'GET /v1/invoices': listOf(),
    'GET /v1/customer-credits': listOf(),
    'GET /v1/team': listOf({ id: 'person_9', name: 'Grace', email: 'grace@example.com', role: 'admin' }),
    'GET /v1/customers/cus_1/kyc': kyc,
    ...answers,
  });
  const mounted = await mountPage('pay-customer-page', { params: { id: 'cus_1' }, role });
  const { page } = mounted;
  await waitUntil(() => page.shadowRoot?.querySelector('section[aria-labelledby=kyc] :is(table, p)'));
  const card = () => textOf(find(page, 'section[aria-labelledby=kyc]'));
  const press = async (name: string, within = '') => {
    find(page, `${within} button`.trim(), name).click();
    await settle(page);
  };
  const type = async (name: string, text: string) => {
    const field = find<HTMLTextAreaElement>(page, `pay-dialog [name="${name}"]`);
    field.value = text;
    field.dispatchEvent(new Event(field.localName === 'select' ? 'change' : 'input'));
    await settle(page);
  };
  return { ...mounted, service, card, press, type };
}

describe('the identity check of a customer', () => {
  it('shows status, tiers, fields, hits and reasons', async () => {
    const { page, card } = await openCustomer(
      exampleKyc({
        flags: [{ screen: 'sandbox_sanctions', reason: 'The name is on the list.' }],
        rejection_reasons: ['The document has expired.'],
        decided_by: 'person_9',
        decided_at: '2026-11-21T09:00:00.000Z',
      }),
    );
    await waitUntil(() => card().includes('Grace'));
    for (const words of [
      'Under review',
      'Basic, Standard is checked',
      'Date of birth Given',
      'City of residence Needed',
      'The name is on the list.',
      'The document has expired.',
    ]) {
      expect(card()).to.contain(words);
    }
    await expect(page).shadowDom.to.be.accessible();
  });

  it('reveals the values after a note about the audit log, and hides them', async () => {
    const { page, card, press } = await openCustomer(exampleKyc(), {
      'POST /v1/customers/cus_1/kyc/reveal': { values: { birth_date: '1990-12-10' } },
    });
    await press('Reveal');
    expect(textOf(page)).to.contain('The audit log Has your name and the time of the look');
    await press('Reveal', 'pay-dialog');
    await waitUntil(() => card().includes('Date of birth 1990-12-10'));
    await press('Hide');
    expect(card()).to.contain('Date of birth Given');
  });

  it('is approved despite a hit after a person has examined it', async () => {
    const held = new Refusal(409, 'illegal_state', 'The screen holds it. A person can approve with override_flags.');
    const path = 'POST /v1/customers/cus_1/kyc/approve';
    const { page, service, card, press, type, toasts } = await openCustomer(exampleKyc(), { [path]: held });
    await press('Approve');
    await type('tier', 'basic');
    await press('Approve', 'pay-dialog');
    await waitUntil(() => textOf(page).includes('The screen holds it.'));
    find<HTMLInputElement>(page, 'pay-dialog [name=override]').click();
    await settle(page);
    service.answers[path] = exampleKyc({ status: 'approved', tier: 'basic' });
    await press('Approve', 'pay-dialog');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf(path).map(({ body }) => body)).to.deep.equal([
      { tier: 'basic' },
      { tier: 'basic', override_flags: true },
    ]);
    expect(card()).to.contain('Approved');
  });

  it('asks for more, with fields and a reason on each line', async () => {
    const path = 'POST /v1/customers/cus_1/kyc/request_more';
    const { page, service, press, type, toasts } = await openCustomer(exampleKyc(), {
      [path]: exampleKyc({ status: 'incomplete' }),
    });
    await press('Ask for more');
    await type('reasons', 'The document has expired.\n\nThe city is missing.');
    find<HTMLInputElement>(page, 'pay-dialog [name=id_number]').click();
    await settle(page);
    await expect(page).to.be.accessible({ ignoredRules: ['landmark-no-duplicate-banner', 'landmark-unique'] });
    await press('Ask for more', 'pay-dialog');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf(path)[0]?.body).to.deep.equal({
      reasons: ['The document has expired.', 'The city is missing.'],
      fields: ['id_number'],
    });
  });

  it('is rejected with a reason', async () => {
    const path = 'POST /v1/customers/cus_1/kyc/reject';
    const { service, card, press, type, toasts } = await openCustomer(exampleKyc(), {
      [path]: exampleKyc({ status: 'rejected', tier: null }),
    });
    await press('Reject');
    await type('reasons', 'The document is not genuine.');
    await press('Reject', 'pay-dialog');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf(path)[0]?.body).to.deep.equal({ reasons: ['The document is not genuine.'] });
    expect(card()).to.contain('Rejected');
  });

  for (const [who, kyc, role] of [
    ['viewers', exampleKyc(), 'viewer'],
    ['a check without data', exampleKyc({ status: 'not_started', tier: null }), 'finance'],
  ] as const) {
    it(`offers no decision: ${who}`, async () => {
      const { page } = await openCustomer(kyc, {}, role);
      for (const name of ['Reveal', 'Approve', 'Reject']) expect(() => find(page, 'button', name)).to.throw();
    });
  }
});

it('the list of identity checks begins with those under review', async () => {
  const flags = [{ screen: 'sandbox_sanctions', reason: 'The name is on the list.' }];
  const service = serviceOf({ 'GET /v1/kyc': listOf(exampleKyc({ flags })), 'GET /v1/customers/cus_1': ada });
  const { page } = await mountPage('pay-kyc-page', { query: 'status=under_review' });
  await waitUntil(() => textOf(page).includes('Ada Lovelace'));
  expect(service.callsOf('GET /v1/kyc')[0]?.query.get('status')).to.equal('under_review');
  expect(textOf(page)).to.match(/Status All Under review .*Hit of a list/);
  expect(find(page, '[role=row] a').getAttribute('href')).to.equal('/dashboard/customers/cus_1');
  await expect(page).shadowDom.to.be.accessible();
});
