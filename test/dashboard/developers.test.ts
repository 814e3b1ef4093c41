import '../../src/dashboard/developers/delivery-page.ts';
import '../../src/dashboard/developers/developers-page.ts';
import '../../src/dashboard/developers/events-page.ts';
import '../../src/dashboard/developers/requests-page.ts';
import '../../src/dashboard/developers/webhook-page.ts';
import { expect } from '@open-wc/testing';
import { exampleEvent, listOf, Refusal } from './support/fake-service.ts';
import { exampleSession, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = new Date().toISOString();
const key = {
  id: 'key_1',
  object: 'api_key',
  type: 'secret',
  name: 'Web shop',
  hint: 'sk_test_…aB3d',
  scopes: ['*'],
  livemode: false,
  created_at: at,
};
const endpoint = {
  id: 'we_1',
  object: 'webhook_endpoint',
  url: 'https://shop.example/hooks',
  events: ['*'],
  description: null,
  status: 'enabled',
  disabled_reason: null,
  metadata: {},
  livemode: false,
  created_at: at,
};
const delivery = {
  id: 'del_1',
  object: 'webhook_delivery',
  event: 'evt_1',
  event_type: 'payment.completed',
  endpoint: 'we_1',
  status: 'failed',
  attempts: 3,
  response_status: 500,
  last_error: 'http_error',
  next_attempt_at: null,
  delivered_at: null,
  livemode: false,
  created_at: at,
};
const unsent = { ...delivery, status: 'pending', attempts: 1, response_status: null, last_error: null };

async function openDevelopers(answers: Parameters<typeof serviceOf>[0] = {}) {
  const lists = { 'GET /v1/api-keys': listOf(key), 'GET /v1/webhook-endpoints': listOf(endpoint) };
  const service = serviceOf({ ...lists, ...answers });
  const { page } = await mountPage('pay-developers-page');
  await waitUntil(() => textOf(page).includes('sk_test_…aB3d'));
  return { service, page };
}

describe('keys and endpoints', () => {
  it('are listed, and a new key is shown once', async () => {
    const { page, service } = await openDevelopers({
      'POST /v1/api-keys': { ...key, id: 'key_2', name: 'Phone', key: 'sk_test_new' },
    });
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'New key').click();
    await settle(page);
    const name = find<HTMLInputElement>(page, 'input[name=name]');
    name.value = 'Phone';
    name.dispatchEvent(new InputEvent('input'));
    await settle(page);
    find(page, 'button', 'Create key').click();
    await waitUntil(() => textOf(page).includes('sk_test_new'));
    expect(service.callsOf('POST /v1/api-keys')[0]?.body).to.deep.equal({
      type: 'secret',
      name: 'Phone',
      scopes: ['*'],
    });
    find(page, 'button', 'New endpoint').click();
    await settle(page);
    expect(textOf(page)).not.to.contain('sk_test_new');
  });

  const { test_data_scopes: testDataScopes } = exampleSession();
  const offers: readonly [role: 'owner' | 'developer', livemode: boolean, widest: readonly string[]][] = [
    ['owner', true, ['*']],
    ['developer', false, testDataScopes],
    ['developer', true, ['payments:read']],
  ];
  for (const [role, livemode, widest] of offers) {
    it(`offer a ${role} in ${livemode ? 'live' : 'test'} mode what the role may give`, async () => {
      const lists = { 'GET /v1/api-keys': listOf(), 'GET /v1/webhook-endpoints': listOf() };
      const service = serviceOf({ ...lists, 'POST /v1/api-keys': { ...key, key: 'sk_test_new', scopes: widest } });
      const { page } = await mountPage('pay-developers-page', { role, livemode });
      await waitUntil(() => textOf(page).includes('No keys'));
      find(page, 'button', 'New key').click();
      await settle(page);
      expect(textOf(page).includes('An owner or admin makes keys')).to.equal(role === 'developer');
      find(page, 'button', 'Create key').click();
      await waitUntil(() => textOf(page).includes('sk_test_new'));
      expect(service.callsOf('POST /v1/api-keys')[0]?.body['scopes']).to.deep.equal(widest);
      expect(textOf(page).includes('All test data, no settings')).to.equal(widest === testDataScopes);
    });
  }

  it('are revoked after the page has said what that does', async () => {
    const { page, service } = await openDevelopers({ 'DELETE /v1/api-keys/key_1': { id: 'key_1', deleted: true } });
    find(page, 'button', 'Revoke Web shop sk_test_…aB3d').click();
    await settle(page);
    expect(textOf(page)).to.contain('it cannot be brought back');
    expect(service.callsOf('DELETE /v1/api-keys/key_1')).to.have.length(0);
    find(page, 'button.danger', 'Revoke key').click();
    await waitUntil(() => textOf(page).includes('No keys'));
  });

  it('show a refused address at its field', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'The address is private.', 'url');
    const { page } = await openDevelopers({ 'POST /v1/webhook-endpoints': refused });
    find(page, 'button', 'New endpoint').click();
    await settle(page);
    const url = find<HTMLInputElement>(page, 'input[name=url]');
    url.value = 'http://10.0.0.1/';
    url.dispatchEvent(new InputEvent('input'));
    await settle(page);
    find(page, 'button', 'Create endpoint').click();
    await waitUntil(() => textOf(page).includes('The address is private.'));
    expect(find(page, 'input[name=url]').getAttribute('aria-invalid')).to.equal('true');
  });

  it('are not for viewers', async () => {
    const service = serviceOf({});
    const { page } = await mountPage('pay-developers-page', { role: 'viewer' });
    expect(service.calls).to.have.length(0);
    expect(textOf(page)).not.to.match(/API explorer|Request log/);
    expect(textOf(page)).to.contain('Your role, viewer , may not use developer tools.');
  });
});

describe('a webhook endpoint', () => {
  it('shows each delivery with its answer, and sends one again', async () => {
    const service = serviceOf({
      'GET /v1/webhook-endpoints/we_1': endpoint,
      'GET /v1/webhook-endpoints/we_1/deliveries': listOf(delivery),
      'POST /v1/events/evt_1/redeliver': listOf(delivery),
    });
    const { page, toasts } = await mountPage('pay-webhook-page', { params: { id: 'we_1' } });
    await waitUntil(() => textOf(page).includes('500: refused'));
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Send again payment.completed del_1').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/events/evt_1/redeliver')[0]?.body).to.deep.equal({ endpoint: 'we_1' });
  });

  it('reads a new delivery until it was sent, and again after an event', async () => {
    const path = 'GET /v1/webhook-endpoints/we_1/deliveries';
    const service = serviceOf({ 'GET /v1/webhook-endpoints/we_1': endpoint, [path]: listOf(unsent) });
    const { page, live } = await mountPage('pay-webhook-page', { params: { id: 'we_1' } });
    live.start(page.app.client, 'webhook');
    await waitUntil(() => textOf(page).includes('Not sent yet'));
    service.answers[path] = listOf({ ...delivery, status: 'delivered', response_status: 204, last_error: null });
    await waitUntil(() => /Delivered 204/.test(textOf(page)));
    service.answers[path] = listOf(delivery);
    service.tell('payment.completed', { id: 'pay_1' });
    await waitUntil(() => textOf(page).includes('500: refused'));
    live.stop();
  });
});

describe('a delivery', () => {
  it('shows each attempt with the answer as text, and what was sent', async () => {
    const attempt = { at, duration_ms: 87, response_status: 500, error: 'http_error' };
    const details = {
      ...delivery,
      attempt_log: [
        { ...attempt, number: 1, response_body: '<script>window.stolen = 1</script>' },
        { ...attempt, number: 2, response_status: null, error: 'timeout', response_body: null },
      ],
      request: { headers: { 'webhook-id': 'evt_1' }, body: '{"id":"evt_1"}' },
    };
    const service = serviceOf({
      'GET /v1/webhook-endpoints/we_1/deliveries/del_1': details,
      'POST /v1/events/evt_1/redeliver': listOf(delivery),
    });
    service.answers['GET /v1/webhook-endpoints/we_1/deliveries/del_1'] = () => {
      // The first attempt is still running when the page opens.
      service.answers['GET /v1/webhook-endpoints/we_1/deliveries/del_1'] = details;
      return { ...details, ...unsent, attempt_log: [] };
    };
    const { page, visits } = await mountPage('pay-delivery-page', { params: { id: 'we_1', delivery: 'del_1' } });
    await waitUntil(() => textOf(page).includes('No attempt yet'));
    await waitUntil(() => /500: refused ?, after +87 +ms/.test(textOf(page)));
    await expect(page).shadowDom.to.be.accessible();
    expect(textOf(page)).to.match(/Attempt 2.*no answer within 15 seconds.*Attempt 1/);
    expect(textOf(page)).to.contain('<script>window.stolen = 1</script>').and.contain('webhook-id: evt_1');
    expect(window).not.to.have.property('stolen');
    find(page, 'button', 'Send again').click();
    await waitUntil(() => visits.includes('/developers/webhooks/we_1'));
    expect(service.callsOf('POST /v1/events/evt_1/redeliver')[0]?.body).to.deep.equal({ endpoint: 'we_1' });
  });
});

describe('events', () => {
  it('show their content, filter by family, and grow', async () => {
    const service = serviceOf({ 'GET /v1/events': listOf(exampleEvent('payment_link.opened', { id: 'plink_1' })) });
    const { page, live } = await mountPage('pay-events-page', { query: 'type=payment_link.*' });
    live.start(page.app.client, 'events');
    await waitUntil(() => textOf(page).includes('payment_link.opened'));
    expect(service.callsOf('GET /v1/events')[0]?.query.get('type')).to.equal('payment_link.*');
    const offered = [...find<HTMLSelectElement>(page, 'select[name=type]').options].map(({ value }) => value);
    expect(offered).to.include.members(['dispute.*', 'top_up.*', 'withdrawal.*', 'credit_note.*', 'conversion.*']);
    find(page, 'button.type').click();
    await settle(page);
    expect(textOf(page)).to.contain('"id": "plink_1"');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.tell('payment_link.paid', { id: 'plink_1' });
    service.tell('invoice.paid', { id: 'inv_1' });
    await waitUntil(() => textOf(page).includes('payment_link.paid'));
    expect(textOf(page)).not.to.contain('invoice.paid');
    live.stop();
  });

  it('open the one that the URL names, which the close button forgets', async () => {
    serviceOf({
      'GET /v1/events': listOf(),
      'GET /v1/events/evt_old': { ...exampleEvent('refund.completed', { id: 're_7' }), id: 'evt_old' },
    });
    const { page, visits } = await mountPage('pay-events-page', { query: 'event=evt_old' });
    await waitUntil(() => textOf(page).includes('"id": "re_7"'));
    find(page, 'button', 'Close').click();
    expect(visits).to.deep.equal(['/developers/events']);
  });

  it('say that the named one does not exist', async () => {
    serviceOf({ 'GET /v1/events': listOf() });
    const { page } = await mountPage('pay-events-page', { query: 'event=evt_none' });
    await waitUntil(() => textOf(page).includes('There is none.'));
  });
});

describe('the request log', () => {
  it('finds a call by its id', async () => {
    const call = {
      id: 'req_7',
      object: 'request',
      method: 'GET',
      path: '/v1/balance',
      status: 200,
      duration_ms: 4,
      error: null,
      key: 'key_1',
      person: null,
      created_at: at,
    };
    const service = serviceOf({ 'GET /v1/requests/req_7': call });
    const { page } = await mountPage('pay-requests-page', { query: 'path=req_7' });
    await waitUntil(() => textOf(page).includes('GET /v1/balance'));
    expect(service.callsOf('GET /v1/requests')).to.have.length(0);
  });

  it('shows the reason of a refusal with its page in the docs, and filters', async () => {
    const call = {
      id: `req_${'7'.repeat(22)}`,
      object: 'request',
      method: 'POST',
      path: '/v1/payments',
      status: 400,
      duration_ms: 4,
      error: { code: 'invalid_amount', param: 'amount' },
      key: 'key_1',
      person: null,
      created_at: at,
    };
    const service = serviceOf({ 'GET /v1/requests': listOf(call) });
    const { page } = await mountPage('pay-requests-page', { query: 'answer=refused&path=/v1/payments' });
    await waitUntil(() => textOf(page).includes('POST /v1/payments'));
    const asked = Object.fromEntries(service.callsOf('GET /v1/requests')[0]?.query ?? []);
    expect(asked).to.include({ 'status[gte]': '400', 'status[lte]': '499', path: '/v1/payments' });
    expect(find(page, 'a', 'invalid_amount').getAttribute('href')).to.equal('/docs/errors/invalid_amount');
    // On a phone, the id is whole, and its button is in view.
    Object.assign(page.style, { display: 'block', inlineSize: '326px' });
    const line = find(page, '.second-line');
    await waitUntil(() => line.scrollWidth <= line.clientWidth);
    await expect(page).shadowDom.to.be.accessible();
  });

  const ways: readonly [by: string, via: string | null][] = [
    ['', 'api'],
    ['dashboard', 'dashboard'],
    ['all', null],
  ];
  for (const [by, via] of ways) {
    it(`leaves out calls of the dashboard, unless the filter asks for them: ${by || 'no filter'}`, async () => {
      const service = serviceOf({ 'GET /v1/requests': listOf() });
      const { page } = await mountPage('pay-requests-page', { query: by === '' ? '' : `by=${by}` });
      await waitUntil(() => textOf(page).includes('No calls'));
      expect(service.callsOf('GET /v1/requests').map(({ query }) => query.get('via'))).to.deep.equal([via]);
      expect(find<HTMLSelectElement>(page, 'select[name=by]').value).to.equal(by);
    });
  }
});
