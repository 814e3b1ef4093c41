import '../../src/dashboard/balance/unmatched-page.ts';
import '../../src/dashboard/developers/developers-page.ts';
import '../../src/dashboard/developers/events-page.ts';
import '../../src/dashboard/developers/requests-page.ts';
import '../../src/dashboard/developers/webhook-page.ts';
import '../../src/dashboard/team/account-page.ts';
import { expect } from '@open-wc/testing';
import { type Answer, exampleEvent, listOf, type ServiceCall } from './support/fake-service.ts';
import { exampleSession, mountPage, repeatedNames, serviceOf, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const at = new Date().toISOString();
const twice = (row: object, id: string) => listOf({ ...row, id: `${id}_1` }, { ...row, id: `${id}_2` });
const key = { type: 'secret', name: null, hint: 'sk_test_…aB3d', scopes: ['*'], created_at: at };
const delivery = {
  event: 'evt_1',
  event_type: 'payment.completed',
  endpoint: 'we_1',
  status: 'failed',
  attempts: 3,
  response_status: 500,
  last_error: 'http_error',
  next_attempt_at: null,
  delivered_at: null,
  created_at: at,
};
const endpoint = { id: 'we_1', url: 'https://shop.example/hooks', events: ['*'], status: 'enabled', created_at: at };
const call = {
  method: 'GET',
  path: '/v1/payments',
  status: 200,
  error: null,
  key: 'key_1',
  person: null,
  duration_ms: 4,
  created_at: at,
};
const stray = {
  rail: 'sepa',
  amount: 2_000,
  currency: 'EUR',
  asset: null,
  asset_amount: null,
  reference: null,
  memo: null,
  sender: 'Ada Lovelace',
  problem: null,
  failure: null,
  status: 'unmatched',
  created_at: at,
};
const event = (id: string) => ({ ...exampleEvent('payment.completed', {}), id });
const session = { is_current: false, network: '203.0.113.7', user_agent: '', last_seen_at: at };

const lists: readonly [tag: string, answers: Record<string, Answer>, shown: string][] = [
  [
    'pay-developers-page',
    {
      'GET /v1/api-keys': listOf({ ...key, id: 'key_1' }, { ...key, id: 'key_2', hint: 'sk_test_…9xYz' }),
      'GET /v1/webhook-endpoints': listOf(),
    },
    'sk_test_…9xYz',
  ],
  [
    'pay-webhook-page',
    { 'GET /v1/webhook-endpoints/we_1': endpoint, 'GET /v1/webhook-endpoints/we_1/deliveries': twice(delivery, 'del') },
    '500',
  ],
  ['pay-events-page', { 'GET /v1/events': listOf(event('evt_1'), event('evt_2')) }, 'payment.completed'],
  ['pay-requests-page', { 'GET /v1/requests': twice(call, 'req') }, 'req_2'],
  [
    'pay-unmatched-page',
    {
      'GET /v1/transfers': ({ query }: ServiceCall) =>
        query.get('status') === 'unmatched' ? twice(stray, 'tr') : listOf(),
    },
    'Ada Lovelace',
  ],
  [
    'pay-account-page',
    {
      'GET /v1/session': exampleSession(),
      'GET /v1/person/passkeys': listOf(),
      'GET /v1/person/sessions': listOf(
        { ...session, id: 'ses_1' },
        { ...session, id: 'ses_2', last_seen_at: '2026-11-01T08:00:00Z' },
      ),
    },
    'Where you are signed in',
  ],
];

describe('buttons of a list with equal rows', () => {
  for (const [tag, answers, shown] of lists) {
    it(`have names of their own on ${tag}`, async () => {
      serviceOf(answers);
      const { page } = await mountPage(tag, { params: { id: 'we_1' } });
      await waitUntil(() => textOf(page).includes(shown));
      expect(repeatedNames(page)).to.deep.equal([]);
    });
  }
});
