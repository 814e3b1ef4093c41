import '../../src/dashboard/developers/explorer-page.ts';
import { expect } from '@open-wc/testing';
import { type Answer, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const string = { type: 'string' };
const answers = { 200: { description: 'Done.' } };
const person = [{ secretKey: [] }, { session: [] }];
const refunds = {
  operationId: 'refund',
  tags: ['Payments'],
  summary: 'Give money back',
  description: '',
  security: person,
  parameters: [{ name: 'id', in: 'path', required: true, schema: string, description: 'The payment.' }],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['amount'],
          properties: { amount: { type: 'integer', examples: [500] }, note: string },
        },
      },
    },
  },
  responses: answers,
};
const events = {
  operationId: 'events',
  tags: ['Events'],
  summary: 'List events',
  description: '',
  security: person,
  parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }],
  responses: answers,
};
const open = { ...events, operationId: 'open', summary: 'Open a page', security: [{}] };
const document = {
  tags: [{ name: 'Payments' }, { name: 'Events' }],
  paths: { '/v1/payments/{id}/refunds': { post: refunds }, '/v1/events': { get: events, post: open } },
  components: { schemas: {} },
};
const refund = 'POST /v1/payments/pay_1/refunds';

async function openExplorer(call: string, more: Parameters<typeof serviceOf>[0] = {}, livemode = false) {
  const service = serviceOf({ 'GET /openapi.json': document, ...more });
  const { page } = await mountPage('pay-explorer-page', { query: call === '' ? '' : `call=${call}`, livemode });
  await waitUntil(() => textOf(page).includes('Find a call'));
  return { service, page };
}

const type = async (page: Element, name: string, text: string) => {
  const input = find<HTMLInputElement>(page, `[name=${name}]`);
  input.value = text;
  input.dispatchEvent(new Event('input'));
  await settle(page);
};

describe('the API explorer', () => {
  it('lists the calls of a person by group, and finds them by words', async () => {
    const { page } = await openExplorer('');
    await expect(page).shadowDom.to.be.accessible();
    expect(textOf(page)).to.contain('Give money back').and.contain('List events').and.contain('Choose a call');
    expect(textOf(page)).not.to.contain('Open a page');
    await type(page, 'find', 'post refunds');
    expect(textOf(page)).not.to.contain('List events');
    expect(find(page, 'a', 'POST Give money back').getAttribute('href')).to.match(/developers\/explorer\?call=refund$/);
  });

  it('runs a call with the example of its body, and shows the answer in colours', async () => {
    const { page, service } = await openExplorer('refund', { [refund]: { id: 're_1', amount: 500, ok: true } });
    expect(JSON.parse(find<HTMLTextAreaElement>(page, '[name=body]').value)).to.deep.equal({ amount: 500 });
    find(page, 'button', 'Send POST').click();
    await settle(page);
    expect(service.callsOf(refund)).to.have.length(0);
    expect(find(page, '[name=id]').getAttribute('aria-invalid')).to.equal('true');
    await type(page, 'id', 'pay_1');
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => textOf(page).includes('"re_1"'));
    await expect(page).shadowDom.to.be.accessible();
    const [call] = service.callsOf(refund);
    expect(call?.body).to.deep.equal({ amount: 500 });
    expect(call?.headers.get('X-CSRF-Token')).to.equal('csrf_1');
    expect(call?.headers.get('Idempotency-Key')).to.match(/^\w{32}$/);
    expect(find(page, '.key', '"id":').localName).to.equal('span');
    expect(find(page, '.word', 'true').localName).to.equal('span');
    expect(textOf(page)).to.contain("/v1/payments/pay_1/refunds' \\ -H 'Authorization: Bearer sk_test_…'");
    expect(textOf(page)).to.contain('body: JSON.stringify({ amount: 500 })');
  });

  it('shows a refusal with its code, and a text that is no JSON at the field', async () => {
    const { page, service } = await openExplorer('refund', {
      [refund]: new Refusal(409, 'illegal_state', 'Too late.'),
    });
    await type(page, 'id', 'pay_1');
    await type(page, 'body', '{ amount');
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => textOf(page).includes('This is no JSON'));
    expect(service.callsOf(refund)).to.have.length(0);
    await type(page, 'body', '{}');
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => /409.*illegal_state.*Too late\./.test(textOf(page)));
  });

  it('leaves out what is not entered in the query', async () => {
    const { page, service } = await openExplorer('events', { 'GET /v1/events': { data: [] } });
    find(page, 'button', 'Send GET').click();
    await waitUntil(() => service.callsOf('GET /v1/events').length === 1);
    await type(page, 'limit', '3');
    await waitUntil(() => !find<HTMLButtonElement>(page, 'button', 'Send GET').disabled);
    find(page, 'button', 'Send GET').click();
    await waitUntil(() => service.callsOf('GET /v1/events').length === 2);
    expect(service.callsOf('GET /v1/events').map(({ query }) => `${query}`)).to.deep.equal(['', 'limit=3']);
  });

  it('asks before a write in live mode', async () => {
    const { page, service } = await openExplorer('refund', { [refund]: { id: 're_1' } }, true);
    await type(page, 'id', 'pay_1');
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => textOf(page).includes('are real'));
    expect(service.callsOf(refund)).to.have.length(0);
    find(page, 'button.danger', 'Send POST').click();
    await waitUntil(() => service.callsOf(refund).length === 1);
  });

  const lost = () => {
    throw new TypeError('Failed to fetch');
  };
  const outages: readonly [name: string, answer: Answer, button: string][] = [
    ['whose answer was lost', lost, 'Try again'],
    ['that the service could not finish', new Refusal(503, 'unavailable'), 'Send POST'],
  ];
  for (const [name, outage, again] of outages) {
    it(`asks again in live mode before a write ${name}, and repeats it with the same key`, async () => {
      const { page, service } = await openExplorer('refund', { [refund]: outage }, true);
      const send = async (button: string) => {
        const before = service.callsOf(refund).length;
        find(page, 'button', button).click();
        await waitUntil(() => textOf(page).includes('are real'));
        expect(service.callsOf(refund)).to.have.length(before);
        find(page, 'button.danger', 'Send POST').click();
        await waitUntil(() => service.callsOf(refund).length === before + 1);
        await waitUntil(() => !find<HTMLButtonElement>(page, 'form button', 'Send POST').disabled);
        await waitUntil(() => !textOf(page).includes('are real'));
      };
      await type(page, 'id', 'pay_1');
      await send('Send POST');
      service.answers[refund] = { id: 're_1' };
      await send(again);
      expect(textOf(page)).to.contain('"re_1"');
      await send('Send POST');
      const keys = service.callsOf(refund).map(({ headers }) => headers.get('Idempotency-Key'));
      expect([keys[0] === keys[1], keys[1] === keys[2]]).to.deep.equal([true, false]);
    });
  }

  it('takes a new key for a changed call after a lost answer', async () => {
    const { page, service } = await openExplorer('refund', { [refund]: lost });
    await type(page, 'id', 'pay_1');
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => find(page, 'button', 'Try again'));
    await type(page, 'body', '{ "amount": 600 }');
    expect(() => find(page, 'button', 'Try again')).to.throw();
    find(page, 'button', 'Send POST').click();
    await waitUntil(() => service.callsOf(refund).length === 2);
    const keys = service.callsOf(refund).map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys[0]).not.to.equal(keys[1]);
  });

  it('is for those who may develop', async () => {
    const service = serviceOf({ 'GET /openapi.json': document });
    const { page } = await mountPage('pay-explorer-page', { role: 'finance' });
    expect(textOf(page)).to.contain('Your role, finance , may not use developer tools.');
    expect(service.calls).to.deep.equal([]);
  });
});
