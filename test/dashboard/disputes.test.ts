import '../../src/dashboard/balance/dispute-page.ts';
import { expect } from '@open-wc/testing';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const dispute = {
  ...{
    id: 'dp_1',
    object: 'dispute',
    payment: 'pay_1',
    amount: 2_840,
    currency: 'EUR',
    reason: 'product_not_received',
  },
  ...{ status: 'needs_response', outcome: null, evidence: null, evidence_submitted_at: null, closed_at: null },
  ...{ evidence_due_at: '2999-11-21T14:02:00.000Z', livemode: false, created_at: '2026-11-14T14:02:00.000Z' },
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
});
