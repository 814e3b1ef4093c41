import '../../src/dashboard/settings/bank-answers-page.ts';
import '../../src/dashboard/settings/clock-page.ts';
import '../../src/dashboard/settings/mail-page.ts';
import '../../src/dashboard/settings/mails-page.ts';
import '../../src/dashboard/settings/treasury-page.ts';
import { expect } from '@open-wc/testing';
import { listOf } from './support/fake-service.ts';
import { find, mountPage, repeatedNames, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = '2026-11-23T12:00:00.000Z';
const mail = {
  id: 'mail_1',
  object: 'mail',
  resource: 'inv_1',
  to: 'ada@example.com',
  to_name: '<b>Ada</b>',
  subject: 'Invoice <script>7</script>',
  status: 'failed',
  attempts: 5,
  documents: 1,
  error: 'No such mailbox.',
  ended_at: at,
  livemode: false,
  created_at: at,
};

describe('the mail outbox', () => {
  it('lists mails with their state as text, and filters', async () => {
    const service = serviceOf({ 'GET /v1/mails': listOf(mail) });
    const { page } = await mountPage('pay-mails-page', { query: 'status=failed' });
    await waitUntil(() => /Invoice <script>7<\/script>.*<b>Ada<\/b>.*Failed/.test(textOf(page)));
    await expect(page).shadowDom.to.be.accessible();
    expect(service.callsOf('GET /v1/mails')[0]?.query.get('status')).to.equal('failed');
  });

  it('shows a mail in a frame in which nothing runs, and sends it again after it says to whom', async () => {
    const details = { ...mail, text: 'Please pay', html_url: 'about:blank' };
    const service = serviceOf({ 'GET /v1/mails/mail_1': details, 'POST /v1/mails/mail_1/resend': mail });
    const { page, visits } = await mountPage('pay-mail-page', { params: { id: 'mail_1' } });
    await waitUntil(() => /Last error No such mailbox\./.test(textOf(page)));
    const frame = find<HTMLIFrameElement>(page, 'iframe');
    expect(frame.getAttribute('src')).to.equal(details.html_url);
    expect(frame.getAttribute('sandbox')).to.equal('allow-popups allow-popups-to-escape-sandbox');
    find(page, 'button', 'Send again').click();
    await settle(page);
    expect(service.callsOf('POST /v1/mails/mail_1/resend')).to.have.length(0);
    find(page, 'pay-dialog button.main', 'Send again').click();
    await waitUntil(() => visits.includes('/settings/mails'));
  });

  it('names no end and no error of a mail that still waits', async () => {
    const waiting = { ...mail, status: 'queued', ended_at: null, error: null, text: '', html_url: 'about:blank' };
    serviceOf({ 'GET /v1/mails/mail_1': waiting });
    const { page } = await mountPage('pay-mail-page', { params: { id: 'mail_1' } });
    await waitUntil(() => textOf(page).includes('Waiting'));
    expect(textOf(page)).not.to.match(/Ended|Last error/);
  });

  it('does not offer sending to those who only read', async () => {
    serviceOf({ 'GET /v1/mails/mail_1': { ...mail, text: '', html_url: 'about:blank' } });
    const { page } = await mountPage('pay-mail-page', { params: { id: 'mail_1' }, role: 'viewer' });
    await waitUntil(() => textOf(page).includes('No such mailbox.'));
    expect(textOf(page)).not.to.contain('Send again');
  });
});

describe('the treasury', () => {
  it('shows balances, channels, what waits and why, and what to fix', async () => {
    serviceOf({
      'GET /v1/treasury': {
        object: 'treasury_health',
        account: 'GTREASURY',
        channels: { total: 8, sending: 2 },
        livemode: false,
        balances: [
          {
            asset: 'USDC:GISSUER',
            spendable: '12.5000000',
            committed: '40.0000000',
            authorized: false,
            low: true,
            seen_at: at,
          },
        ],
        waiting: [{ state: 'held', reason: 'treasury_short', count: 3, oldest_seconds: 600 }],
        remarks: ['the treasury lacks USDC'],
      },
    });
    const { page } = await mountPage('pay-treasury-page');
    await waitUntil(() => textOf(page).includes('the treasury lacks USDC'));
    await expect(page).shadowDom.to.be.accessible();
    expect(textOf(page)).to.match(/8, 2 of them sending.*USDC.*Low.*Frozen.*12\.50.*40.*Treasury short.*3.*10 ?min/);
  });
});

describe('answers of the banks', () => {
  it('are listed with what was not credited, and dismissed after the page says what that does', async () => {
    const answer = {
      id: 'ba_1',
      object: 'bank_answer',
      reason: 'other_currency',
      message: 'The bank <b>returned</b> USD 400.00.',
      file_name: '<i>camt</i>.xml',
      bank_files: ['bf_1'],
      reference: 'ot-1',
      amount: '400.00',
      currency: 'USD',
      payment_amount: '400.00',
      payment_currency: 'EUR',
      received_at: at,
      handled_at: null,
      handled_by: null,
    };
    const service = serviceOf({
      'GET /v1/bank-answers': listOf(answer, { ...answer, id: 'ba_2', reference: 'ot-2', message: 'Twice.' }),
      'POST /v1/bank-answers/ba_1/dismiss': { ...answer, handled_at: at },
    });
    const { page, toasts } = await mountPage('pay-bank-answers-page');
    await waitUntil(() => /Another currency came back.*<b>returned<\/b>.*<i>camt<\/i>/.test(textOf(page)));
    await expect(page).shadowDom.to.be.accessible();
    expect(textOf(page)).to.match(/400\.00 USD.*400\.00 EUR.*bf_1/);
    expect(service.callsOf('GET /v1/bank-answers')[0]?.query.get('handled')).to.equal('false');
    expect(repeatedNames(page)).to.deep.equal([]);
    find(page, 'button', `Dismiss ${answer.message}`).click();
    await settle(page);
    expect(textOf(page)).to.contain('complete on their day of arrival');
    find(page, 'button.main', 'Dismiss').click();
    await waitUntil(() => toasts.length === 1);
  });
});

describe('the test clock', () => {
  it('moves after it says what that does', async () => {
    const service = serviceOf({
      'GET /v1/test_helpers/clock': { object: 'test_clock', now: at },
      'POST /v1/test_helpers/clock': { object: 'test_clock', now: '2026-11-26T12:00:00.000Z' },
    });
    const { page, toasts } = await mountPage('pay-clock-page');
    await waitUntil(() => textOf(page).includes('Nov 23, 2026'));
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Move by 3 days').click();
    await settle(page);
    expect(textOf(page)).to.contain('Payments, links and quotes that end by then');
    find(page, 'button.main', 'Move by 3 days').click();
    await waitUntil(() => textOf(page).includes('Nov 26, 2026'));
    expect(toasts.map(({ text }) => text)).to.deep.equal(['The clock moved by 3 days']);
    expect(service.callsOf('POST /v1/test_helpers/clock')[0]?.body).to.deep.equal({ advance: 'P3D' });
  });

  it('is not there in live mode, and not for those who do not develop', async () => {
    const service = serviceOf({});
    const live = await mountPage('pay-clock-page', { livemode: true });
    expect(textOf(live.page)).to.contain('Live mode has no test clock');
    const viewer = await mountPage('pay-clock-page', { role: 'viewer' });
    expect(textOf(viewer.page)).to.contain('Your role, viewer , may not use developer tools.');
    expect(service.calls).to.deep.equal([]);
  });
});
