import '../../src/dashboard/balance/dispute-page.ts';
import '../../src/dashboard/balance/disputes-page.ts';
import { expect } from '@open-wc/testing';
import { listOf } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const dispute = {
  id: 'dp_1',
  object: 'dispute',
  payment: 'pay_1',
  amount: 2_840,
  currency: 'EUR',
  reason: 'product_not_received',
  status: 'needs_response',
  outcome: null,
  evidence: null,
  evidence_submitted_at: null,
  closed_at: null,
  evidence_due_at: '2999-11-21T14:02:00.000Z',
  livemode: false,
  created_at: '2026-11-14T14:02:00.000Z',
};

describe('the page of a dispute', () => {
  it('sends evidence after a table has shown what will happen', async () => {
    const service = serviceOf({ 'GET /v1/disputes/dp_1': dispute });
    const { page, toasts } = await mountPage('pay-dispute-page', { params: { id: 'dp_1' } });
    await waitUntil(() => textOf(page).includes('Product not received'));
    find(page, 'button', 'Send evidence').click();
    await waitUntil(() => textOf(page).includes('If you win'));
    const input = find<HTMLTextAreaElement>(page, 'textarea[name=explanation]');
    input.value = 'It was delivered.';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(page);
    service.answers['POST /v1/disputes/dp_1/evidence'] = { ...dispute, status: 'under_review' };
    find(page, 'button.main[slot=buttons]', 'Send evidence').click();
    await waitUntil(() => toasts.length === 1);
    const [call] = service.callsOf('POST /v1/disputes/dp_1/evidence');
    expect(call?.body).to.deep.equal({ explanation: 'It was delivered.' });
    await waitUntil(() => textOf(page).includes('The cardholder’s bank reads your evidence.'));
  });

  it('is accepted after a table has shown what will happen', async () => {
    const service = serviceOf({ 'GET /v1/disputes/dp_1': dispute });
    const { page, toasts } = await mountPage('pay-dispute-page', { params: { id: 'dp_1' } });
    await waitUntil(() => textOf(page).includes('Product not received'));
    find(page, 'button', 'Accept').click();
    await waitUntil(() => /with the cardholder €28\.40/.test(textOf(page)));
    expect(service.callsOf('POST /v1/disputes/dp_1/accept')).to.have.length(0);
    service.answers['POST /v1/disputes/dp_1/accept'] = { ...dispute, status: 'closed', outcome: 'accepted' };
    find(page, 'button', 'Give up €28.40').click();
    await waitUntil(() => textOf(page).includes('The amount stays with the cardholder.'));
    expect(toasts.map(({ text }) => text)).to.deep.equal(['Dispute accepted']);
    expect(() => find(page, 'button', 'Accept')).to.throw('no button');
  });

  const openUntil = (until: string) => ({ ...dispute, evidence_due_at: until });
  const views = [
    ['a viewer', 'viewer', dispute, 'your role may not.', false],
    ['a finance person', 'finance', dispute, 'Without evidence by then, the dispute is lost.', true],
    ['a person after the deadline', 'owner', openUntil('2020-01-01T00:00:00.000Z'), 'The deadline has passed.', false],
    ['a person after the decision', 'owner', { ...dispute, status: 'closed', outcome: 'won' }, 'You won.', false],
  ] as const;
  for (const [who, role, answer, words, mayAct] of views) {
    it(`tells ${who}: ${words}`, async () => {
      serviceOf({ 'GET /v1/disputes/dp_1': answer });
      const { page } = await mountPage('pay-dispute-page', { params: { id: 'dp_1' }, role });
      await waitUntil(() => textOf(page).includes(words));
      expect(/Accept Send evidence/.test(textOf(page))).to.equal(mayAct);
      await expect(page).shadowDom.to.be.accessible();
    });
  }
});

describe('the list of disputes', () => {
  it('filters by state, and names each deadline', async () => {
    const service = serviceOf({ 'GET /v1/disputes': listOf(dispute) });
    const { page, visits } = await mountPage('pay-disputes-page', { query: 'status=needs_response' });
    await waitUntil(() => /Product not received.*days left, until/.test(textOf(page)));
    const asked = Object.fromEntries(service.callsOf('GET /v1/disputes')[0]?.query ?? []);
    expect(asked).to.deep.equal({ status: 'needs_response', limit: '50' });
    const select = find<HTMLSelectElement>(page, 'select[name=status]');
    select.value = 'closed';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(visits).to.deep.equal(['/balance/disputes?status=closed']);
    await expect(page).shadowDom.to.be.accessible();
  });
});
