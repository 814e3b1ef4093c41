import '../../src/dashboard/frame/dashboard-app.ts';
import { aTimeout, expect, fixture, html } from '@open-wc/testing';
import { type LitElement, render } from 'lit';
import { createPayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';
import type { DashboardContext } from '../../src/dashboard/app/dashboard-context.ts';
import { createLiveEvents } from '../../src/dashboard/app/live-events.ts';
import { entriesOf, navigationList } from '../../src/dashboard/frame/navigation.ts';
import { findObjects } from '../../src/dashboard/frame/palette-search.ts';
import { modules } from '../../src/dashboard/modules.ts';
import { examplePayment, paidPayment } from '../element/support/example-payment.ts';
import { exampleEvent, listOf, Refusal } from './support/fake-service.ts';
import { historyAnswer } from './support/history-answer.ts';
import { deep, exampleSession, find, serviceOf, textOf, tidyUp, waitUntil } from './support/mounted.ts';

const start = location.pathname + location.search;
afterEach(() => {
  tidyUp();
  history.replaceState(null, '', start);
});

const ada = { id: 'cus_1', email: 'ada@example.com', name: 'Ada Lovelace' };
const { merchant: operator } = exampleSession();
const paid = paidPayment({ customer: ada });

/** The dashboard at a path, with the service's answers. */
async function open(path: string, answers: Parameters<typeof serviceOf>[0] = {}) {
  const service = serviceOf({
    'GET /v1/session': exampleSession(),
    'GET /v1/payments': listOf(paid),
    'GET /v1/events': listOf(),
    'GET /v1/session/options': { object: 'sign_in_options', sandbox: true },
    ...answers,
  });
  history.replaceState(null, '', `/dashboard${path}`);
  const app = await fixture<HTMLElement>(html`<pay-dashboard></pay-dashboard>`);
  const shows = (text: string | RegExp) =>
    waitUntil(() => textOf(app).match(text) !== null, `shows ${text}; has: ${textOf(app)}`);
  return { app, service, shows };
}

/** The time up to which the example merchant's events were read at the bell. */
const markKey = 'pay-dashboard.read.acct_1.false';

/** Opens the palette and types into it. */
async function search(app: Element, text: string): Promise<HTMLInputElement> {
  dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }));
  await waitUntil(() => app.shadowRoot?.querySelector('pay-palette')?.shadowRoot?.querySelector('dialog[open]'));
  const input = find<HTMLInputElement>(app, 'input[role=combobox]');
  input.value = text;
  input.dispatchEvent(new InputEvent('input'));
  return input;
}

function press(input: HTMLInputElement, key: string): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, cancelable: true });
  input.dispatchEvent(event);
  return event;
}

describe('the dashboard', () => {
  it('counts from the merchant’s time, which the test clock moves', async () => {
    const now = new Date(Date.now() + 3_600_000).toISOString();
    const before = new Date(Date.now() - 300_000).toISOString();
    const { service, shows } = await open('/payments', {
      'GET /v1/session': exampleSession({ now }),
      'GET /v1/payments': listOf(paidPayment({ created_at: now })),
    });
    await shows(/€128\.40 now/);
    // The request log has the machine's times.
    const call = { id: 'req_1', method: 'GET', path: '/v1/balance', status: 200, duration_ms: 4, error: null };
    service.answers['GET /v1/requests'] = listOf({ ...call, key: null, person: null, created_at: before });
    history.pushState(null, '', '/dashboard/developers/requests');
    dispatchEvent(new PopStateEvent('popstate'));
    await shows(/4 ms 5m ago/);
  });

  it('shows the sign-in without a session, and the page of the URL after it', async () => {
    const signedOut = new Refusal(401, 'session_required', 'Sign in first.');
    const { service, app, shows } = await open('/payments', { 'GET /v1/session': signedOut });
    await shows('Sign in');
    service.answers['POST /v1/session'] = () => {
      service.answers['GET /v1/session'] = exampleSession();
      return exampleSession();
    };
    await shows('sandbox');
    find(app, 'button', 'Open the sandbox dashboard').click();
    await shows('Id, e-mail|Waiting|Paid');
    expect(service.callsOf('POST /v1/session')[0]?.body).to.deep.equal({ sandbox: true });
    expect(find(app, 'h1').textContent).to.equal('Payments');
  });

  it('opens links without a request for a page, and follows the way back', async () => {
    const { app, shows } = await open('/');
    await shows(/Good (morning|afternoon|evening), Ada/);
    find(app, '.side a', 'Payments').click();
    await shows('Id, e-mail or reference|Status');
    expect(location.pathname).to.equal('/dashboard/payments');
    expect(find(app, '.side a[aria-current]').textContent?.trim()).to.equal('Payments');
    await waitUntil(() => find(app, 'h1').matches(':focus'), 'the title has the focus');
    history.back();
    await shows(/Good (morning|afternoon|evening), Ada/);
  });

  it('marks the area of each page in the navigation', () => {
    const own = document.createElement('div');
    const marked = modules
      .flatMap(({ pages }) => pages)
      .filter(({ isOpen }) => isOpen !== true)
      .map(({ path }) => {
        render(navigationList(entriesOf(modules), path), own);
        return [path, own.querySelectorAll('[aria-current]').length] as const;
      });
    // A person's own account is in the menu of the person.
    expect(marked.filter(([, count]) => count !== 1)).to.deep.equal([['/account', 0]]);
  });

  it('names the new page also when the last one changes while the new one loads', async () => {
    const { app, shows } = await open(`/payments/${paid.id}`, {
      [`GET /v1/payments/${paid.id}/history`]: historyAnswer(paid),
      'GET /v1/payment-links': listOf(),
    });
    await waitUntil(() => document.title.startsWith('Payment pay_'), 'the payment gives the title');
    find(app, '.side a', 'Links').click();
    app.shadowRoot?.querySelector<LitElement>('pay-payment-page')?.requestUpdate();
    await shows('No links yet');
    expect(document.title).to.match(/^Payment links ·/);
  });

  it('says so when there is no such page', async () => {
    const { shows } = await open('/nothing/here');
    await shows('There is no such page');
  });

  it('shows the sign-in when the service no longer knows the session', async () => {
    const { app, service, shows } = await open('/');
    await shows('Ada Lovelace');
    service.answers['GET /v1/payments'] = new Refusal(401, 'session_required', 'Sign in first.');
    service.answers['GET /v1/session'] = new Refusal(401, 'session_required', 'Sign in first.');
    find(app, '.side a', 'Payments').click();
    await shows('Open the sandbox dashboard');
  });

  it('leaves neither messages nor search results of the ended session', async () => {
    const found = {
      object: 'search_result',
      type: 'payment',
      id: paid.id,
      title: '€128.40',
      subtitle: 'ada@example.com',
    };
    const { app, service, shows } = await open('/payments', { 'GET /v1/search': listOf({ ...found, url: null }) });
    await shows('Ada Lovelace');
    service.tell('payment.completed', paid);
    await shows(/Payment received €128\.40/);
    await search(app, 'ada@');
    await shows('Payment · ada@example.com');
    const ended = new Refusal(401, 'session_required', 'Sign in first.');
    Object.assign(service.answers, { 'GET /v1/search': ended, 'GET /v1/session': ended });
    await search(app, 'ada@e');
    await shows('Open the sandbox dashboard');
    expect(textOf(app)).not.to.match(/€128|ada@/);
  });

  it('counts at the bell what is new since it was opened, also after a reload and in a second tab', async () => {
    const name = (app: Element, text: string) =>
      waitUntil(() => find(app, '.bell').getAttribute('aria-label') === text, `the bell is “${text}”`);
    const before = exampleEvent('payment.completed', paidPayment({ id: 'pay_1' }));
    const first = await open('/payments', { 'GET /v1/events': listOf(before) });
    await waitUntil(() => first.service.callsOf('GET /v1/events').length > 0, 'reads the last event');
    await first.shows('Ada Lovelace');
    await name(first.app, 'Notifications');
    await waitUntil(() => localStorage.getItem(markKey) === before.created_at, 'keeps its time');
    first.app.remove();
    const missed = ['payment.completed', 'payment.created'].map(type => exampleEvent(type, paid));
    const [one, two] = [
      await open('/payments', { 'GET /v1/events': listOf(...missed) }),
      await open('/payments', { 'GET /v1/events': listOf(...missed) }),
    ];
    await name(one.app, 'Notifications, 1 new');
    await name(two.app, 'Notifications, 1 new');
    expect(two.service.callsOf('GET /v1/events')[0]?.query.get('created_at[gt]')).to.equal(before.created_at);
    find(one.app, '.bell').click();
    await name(one.app, 'Notifications');
    await waitUntil(() => localStorage.getItem(markKey) === missed[1]?.created_at, 'keeps what was read');
    dispatchEvent(new StorageEvent('storage', { key: markKey, newValue: localStorage.getItem(markKey) }));
    await name(two.app, 'Notifications');
  });

  it('selects merchant and mode by headers', async () => {
    sessionStorage.setItem('pay-dashboard.selection', JSON.stringify({ merchant: 'acct_2', mode: 'live' }));
    const { service } = await open('/');
    await waitUntil(() => service.callsOf('GET /v1/payments').length > 0);
    const { headers } = service.callsOf('GET /v1/payments')[0] as { headers: Headers };
    expect([headers.get('pay-merchant'), headers.get('pay-mode')]).to.deep.equal(['acct_2', 'live']);
  });

  it('tells of a payment at once: by a toast, at the bell and in the list', async () => {
    const { app, service, shows } = await open('/payments', { 'GET /v1/payments': listOf(waiting) });
    await shows('Waiting');
    service.tell('payment.completed', paidPayment({ id: waiting.id, customer: ada }));
    await shows(/Payment received €128\.40 · Ada Lovelace/);
    await shows('Paid');
    expect(find(app, 'button', 'Notifications, 1 new')).to.exist;
  });

  it('shows each event once in each of two tabs that share no lock', async () => {
    const locks = Object.getOwnPropertyDescriptor(Navigator.prototype, 'locks') as PropertyDescriptor;
    Reflect.deleteProperty(Navigator.prototype, 'locks');
    const tabs = [createLiveEvents(), createLiveEvents()];
    const heard: string[][] = tabs.map(() => []);
    try {
      const service = serviceOf({});
      for (const [index, tab] of tabs.entries()) {
        tab.follow({}, event => heard[index]?.push(event.id));
        tab.start(createPayClient({ baseUrl: location.origin }), 'acct_1 test');
      }
      await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 2);
      service.tell('payment.completed', paid);
      await waitUntil(() => heard.every(ids => ids.length > 0), 'both tabs hear of it');
      // The channel keeps the order: what a tab passed on, or heard here, is counted before `heardLast` resolves.
      const [last, witness] = [0, 1].map(() => new BroadcastChannel('pay-dashboard.events.acct_1 test'));
      const heardLast = new Promise(resolve => witness?.addEventListener('message', resolve, { once: true }));
      last?.postMessage(exampleEvent('payment.completed', paid));
      await heardLast;
      for (const channel of [last, witness]) channel?.close();
      expect(heard.map(ids => ids.length)).to.deep.equal([1, 1]);
    } finally {
      for (const tab of tabs) tab.stop();
      Object.defineProperty(Navigator.prototype, 'locks', locks);
    }
  });

  it('leads from each event at the bell to the page of its object, else of its payment', async () => {
    const pages: readonly [type: string, object: object, path: string | null][] = [
      ['payment.completed', paidPayment({ id: 'pay_1' }), '/payments/pay_1'],
      ['dispute.created', { id: 'dp_1', payment: 'pay_1' }, '/balance/disputes/dp_1'],
      ['refund.completed', { id: 're_1', payment: 'pay_1' }, '/payments/pay_1'],
      ['transfer.unmatched', { id: 'tr_1', payment: null }, '/balance/unmatched'],
      ['top_up.received', { id: 'tu_1' }, '/balance/movements'],
      ['treasury.low', { account: 'GA' }, null],
    ];
    const { app, shows } = await open('/payments', {
      'GET /v1/events': listOf(...pages.map(([type, object]) => exampleEvent(type, object))),
    });
    await shows('Ada Lovelace');
    find(app, 'button', 'Notifications').click();
    await shows('Treasury low');
    const lines = [...deep(app.shadowRoot as ShadowRoot)].filter(element => element.matches('.line > :first-child'));
    expect(lines.map(line => line.getAttribute('href'))).to.deep.equal(
      pages.map(([, , path]) => path && `/dashboard${path}`),
    );
  });

  it('finds pages and objects by the keyboard', async () => {
    const found = { object: 'search_result', type: 'payment', id: paid.id, title: '€128.40', subtitle: 'A-1042' };
    const { app, shows, service } = await open('/', { 'GET /v1/search': listOf({ ...found, url: null }) });
    await shows('Ada Lovelace');
    const input = await search(app, 'A-1042');
    await waitUntil(() => textOf(app).includes('Payment · A-1042'));
    const enter = press(input, 'Enter');
    expect(enter.defaultPrevented, 'Enter does not press the button that gets the focus back').to.equal(true);
    await waitUntil(() => location.pathname === `/dashboard/payments/${paid.id}`, 'the page of the payment');
    expect(service.callsOf('GET /v1/search')[0]?.query.get('q')).to.equal('A-1042');
  });

  it('opens the result of the typed text when Enter comes before the answer, none of an earlier text', async () => {
    const found = (id: string) => listOf({ object: 'search_result', type: 'payment', id, title: id, subtitle: null });
    let answer: (found: object) => void = () => undefined;
    const { app, shows, service } = await open('/', { 'GET /v1/search': found('pay_early') });
    await shows('Ada Lovelace');
    await search(app, 'early');
    await shows('pay_early');
    service.answers['GET /v1/search'] = () => new Promise(resolve => (answer = resolve));
    press(await search(app, 'late@example.com'), 'Enter');
    await waitUntil(() => service.callsOf('GET /v1/search').length === 2, 'asks for the new text');
    expect(location.pathname).to.equal('/dashboard/');
    answer(found('pay_late'));
    await waitUntil(() => location.pathname === '/dashboard/payments/pay_late', 'the page of the payment');
  });

  it('says that a search failed, and tries it again', async () => {
    const { app, shows, service } = await open('/payments', {
      'GET /v1/search': new Refusal(400, 'parameter_invalid', 'Try later.'),
    });
    await shows('Ada Lovelace');
    await search(app, 'A-1042');
    await shows('Try later.');
    expect(textOf(app)).not.to.contain('Nothing found');
    service.answers['GET /v1/search'] = listOf();
    find(app, 'button', 'Try again').click();
    await shows('Nothing found');
  });

  it('leads from each kind of object that the search finds to the page that shows it', async () => {
    const pages: readonly [type: string, id: string, parent: string | null, path: string][] = [
      ['refund', 're_1', 'pay_1', '/payments/pay_1'],
      ['dispute', 'dp_1', 'pay_1', '/balance/disputes/dp_1'],
      ['transfer', 'tr_1', 'pay_1', '/payments/pay_1'],
      ['transfer', 'tr_2', null, '/balance/unmatched'],
      ['credit_note', 'cn_1', 'inv_1', '/invoices/inv_1'],
      ['recurring_invoice', 'rinv_1', null, '/invoices/recurring/rinv_1'],
      ['transfer', 'tr_3', 'tu_1', '/balance/movements'],
      ['top_up', 'tu_1', null, '/balance/movements'],
      ['event', 'evt_1', 'pay_1', '/developers/events?event=evt_1'],
      ['request', 'req_1', null, '/developers/requests?path=req_1'],
      ['webhook_endpoint', 'we_1', null, '/developers/webhooks/we_1'],
      ['webhook_delivery', 'del_1', 'we_1', '/developers/webhooks/we_1/deliveries/del_1'],
      ['mail', 'mail_1', null, '/settings/mails/mail_1'],
      ['ramp', 'ramp_1', null, '/ramps/ramp_1'],
    ];
    const results = pages.map(([type, id, parent]) => ({
      object: 'search_result',
      type,
      id,
      parent,
      title: `The ${type}`,
      subtitle: null,
      url: null,
    }));
    const context = { client: createPayClient({ baseUrl: location.origin }), hasPage: () => true };
    serviceOf({ 'GET /v1/search': listOf(...results) });
    const lines = await findObjects(context as unknown as DashboardContext, 'x', new AbortController().signal);
    expect(lines.map(({ path }) => path)).to.deep.equal(pages.map(([, , , path]) => path));
  });

  const commands = [
    'Create a payment link',
    'Pay many',
    'API keys',
    'Treasury',
    'Test clock',
    'Audit log',
    'Unmatched money',
  ];
  const offers: readonly [who: string, session: Parameters<typeof exampleSession>[0], labels: readonly string[]][] = [
    ['the owner of the operator’s merchant', { merchant: { ...operator, is_operator: true } }, commands],
    [
      'an owner in live mode',
      { livemode: true },
      commands.filter(label => !['Treasury', 'Test clock'].includes(label)),
    ],
    ['a developer', { role: 'developer' }, ['API keys', 'Test clock', 'Unmatched money']],
    [
      'a viewer of the operator’s merchant',
      { merchant: { ...operator, is_operator: true }, role: 'viewer' },
      ['Unmatched money'],
    ],
  ];
  for (const [who, session, expected] of offers) {
    it(`offers ${who} only what the service admits, in the palette`, async () => {
      const { app, shows } = await open('/', { 'GET /v1/session': exampleSession(session) });
      await shows('Ada Lovelace');
      dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }));
      await waitUntil(() => textOf(app).includes('Unmatched money'));
      const options = [...deep(app.shadowRoot as ShadowRoot)].filter(element => element.matches('[role=option] b'));
      const labels = options.map(({ textContent }) => textContent);
      expect(commands.filter(label => labels.includes(label))).to.deep.equal(expected);
    });
  }

  it('has no accessibility defects', async () => {
    const { app, shows } = await open('/payments');
    await shows('Ada Lovelace');
    await aTimeout(0);
    await expect(app).to.be.accessible();
  });
});

const waiting: Payment = examplePayment({ customer: ada });
