import '../../src/dashboard/payouts/recipients/new-recipient-page.ts';
import '../../src/dashboard/payouts/recipients/recipient-page.ts';
import '../../src/dashboard/payouts/recipients/recipients-page.ts';
import { expect } from '@open-wc/testing';
import type { Recipient } from '../../src/api/recipient.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const bank = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' } as const;
const phone = { type: 'mobile_money', provider: 'mpesa', number: '+254712345678' } as const;

function recipientOf(fields: Partial<Recipient> = {}): Recipient {
  return {
    id: 'rec_1',
    object: 'recipient',
    name: 'Ada <b>Lovelace</b>',
    type: 'individual',
    email: 'ada@example.com',
    country: 'GB',
    reference: 'staff-7',
    metadata: { team: 'lace' },
    livemode: false,
    destinations: [
      ...([
        { id: 'dest_1', object: 'recipient_destination', destination: bank, default: true, verification: 'verified' },
        { id: 'dest_2', object: 'recipient_destination', destination: phone, default: false, verification: 'failed' },
      ] as const),
    ],
    created_at: new Date().toISOString(),
    ...fields,
  };
}

/** Types a text, or chooses the value of a menu. */
async function type(page: Element, name: string, text: string): Promise<void> {
  const field = find<HTMLInputElement>(page, `[name="${name}"]`);
  field.value = text;
  field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input'));
  await settle(page);
}

const path = '/v1/recipients/rec_1';

async function openRecipient(role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({ [`GET ${path}`]: recipientOf(), 'GET /v1/payouts': listOf() });
  const mounted = await mountPage('pay-recipient-page', { params: { id: 'rec_1' }, role });
  await waitUntil(() => textOf(mounted.page).includes('staff-7'), 'the recipient is there');
  return { ...mounted, service };
}

describe('the list of recipients', () => {
  it('shows where each is paid, by the filters of the URL', async () => {
    const service = serviceOf({ 'GET /v1/recipients': listOf(recipientOf()) });
    const { page } = await mountPage('pay-recipients-page', { query: 'type=individual&country=GB' });
    await waitUntil(() => textOf(page).includes('Ada <b>Lovelace</b>'));
    for (const part of ['Person', 'United Kingdom', 'Bank account DE8937040044…3000', 'Reached']) {
      expect(textOf(page)).to.contain(part);
    }
    const [call] = service.callsOf('GET /v1/recipients');
    expect([call?.query.get('type'), call?.query.get('country')]).to.deep.equal(['individual', 'GB']);
    await expect(page).to.be.accessible();
  });

  it('finds through search, within the filters', async () => {
    const business = recipientOf({ id: 'rec_3', name: 'Ada Ltd', type: 'business' });
    const service = serviceOf({
      'GET /v1/search': listOf(...['rec_1', 'rec_3', 'rec_4'].map(id => ({ type: 'recipient', id }))),
      [`GET ${path}`]: recipientOf(),
      'GET /v1/recipients/rec_3': business,
    });
    const { page } = await mountPage('pay-recipients-page', { query: 'find=Ada&type=individual' });
    await waitUntil(() => textOf(page).includes('Ada <b>Lovelace</b>'));
    expect(textOf(page)).not.to.contain('Ada Ltd');
    expect(String(service.callsOf('GET /v1/search')[0]?.query)).to.equal('q=Ada&type=recipient');
  });

  it('teaches at the first visit, and offers nothing to a viewer', async () => {
    serviceOf({ 'GET /v1/recipients': listOf() });
    const { page } = await mountPage('pay-recipients-page', { role: 'viewer' });
    await waitUntil(() => textOf(page).includes('No recipients yet'));
    expect(textOf(page)).not.to.contain('New recipient');
    expect(textOf(page)).to.contain('Your role, viewer , may look but not move money.');
  });
});

describe('the page of a recipient', () => {
  it('shows destinations, details and payouts', async () => {
    const { page, service } = await openRecipient();
    for (const part of [
      'Default',
      'Reached',
      'M-Pesa +254 712 345 678',
      'Failed last time',
      'team lace',
      'No payouts',
    ]) {
      await waitUntil(() => textOf(page).includes(part), part);
    }
    expect(service.callsOf('GET /v1/payouts')[0]?.query.get('recipient')).to.equal('rec_1');
    await expect(page).to.be.accessible();
  });

  it('adds a destination, and keeps the others and the default', async () => {
    const { page, service, toasts } = await openRecipient();
    find(page, 'button', 'Add a destination').click();
    await settle(page);
    await type(page, 'destination.iban', 'GB00');
    service.answers[`PATCH ${path}`] = new Refusal(400, 'invalid_iban', 'The IBAN is wrong.', 'destinations[2].iban');
    find(page, 'pay-dialog button', 'Add destination').click();
    const field = () => find<HTMLInputElement>(page, '[name="destination.iban"]');
    await waitUntil(() => field().getAttribute('aria-invalid') === 'true');
    await type(page, 'destination.kind', 'stellar');
    await type(page, 'destination.address', 'GDQP');
    service.answers[`PATCH ${path}`] = recipientOf();
    find(page, 'pay-dialog button', 'Add destination').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf(`PATCH ${path}`).at(-1)?.body).to.deep.equal({
      destinations: [bank, phone, { type: 'crypto_wallet', chain: 'stellar', address: 'GDQP', asset: 'USDC' }],
      default_destination: 'dest_1',
    });
  });

  const steps: readonly [string, string, RegExp, object][] = [
    [
      'Make default M-Pesa +254 712 345 678',
      'Make it the default',
      /Later payouts without a destination Mobile money M-Pesa \+254 712 345 678/,
      { default_destination: 'dest_2' },
    ],
    [
      'Remove DE8937040044…3000',
      'Remove destination',
      /Removed Bank account DE8937040044…3000.*Later payouts Mobile money M-Pesa \+254 712 345 678/,
      { destinations: [phone], default_destination: 'dest_2' },
    ],
    [
      'Edit',
      'Save',
      /Payouts already made Keep their destination/,
      {
        name: 'Ada <b>Lovelace</b>',
        type: 'individual',
        email: 'ada@example.com',
        country: 'GB',
        reference: 'staff-7',
      },
    ],
  ];
  for (const [label, confirm, words, body] of steps) {
    it(`${confirm.toLowerCase()}: after a table has shown what will happen`, async () => {
      const { page, service, toasts } = await openRecipient();
      find(page, 'button', label).click();
      await waitUntil(() => words.test(textOf(page)), String(words));
      service.answers[`PATCH ${path}`] = recipientOf();
      find(page, 'pay-dialog button', confirm).click();
      await waitUntil(() => toasts.length === 1);
      expect(service.callsOf(`PATCH ${path}`)[0]?.body).to.deep.equal(body);
    });
  }

  it('removes the recipient, and goes back to the list', async () => {
    const { page, service, visits } = await openRecipient();
    service.answers[`DELETE ${path}`] = { id: 'rec_1', object: 'recipient', deleted: true };
    find(page, '.head button', 'Remove').click();
    await waitUntil(() => textOf(page).includes('Its payouts Stay as they are'));
    find(page, 'pay-dialog button', 'Remove recipient').click();
    await waitUntil(() => visits.includes('/recipients'));
  });

  it('has no buttons for a viewer', async () => {
    const { page } = await openRecipient('viewer');
    expect(() => find(page, 'button', 'Edit')).to.throw();
    expect(() => find(page, 'button', 'Add a destination')).to.throw();
  });
});

describe('a new recipient', () => {
  it('shows a refusal at its field, which has the focus, and opens the page of the recipient', async () => {
    const refused = new Refusal(400, 'invalid_iban', 'destinations[0].iban is wrong.', 'destinations[0].iban');
    const service = serviceOf({ 'POST /v1/recipients': refused });
    const { page, visits } = await mountPage('pay-new-recipient-page');
    await expect(page).to.be.accessible();
    await type(page, 'name', 'Ada');
    await type(page, 'destination.iban', 'DE00');
    find(page, 'button', 'Create recipient').click();
    await waitUntil(() => textOf(page).includes('destination.iban is wrong.'));
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'destination.iban');
    await expect(page).to.be.accessible();
    await type(page, 'destination.kind', '');
    service.answers['POST /v1/recipients'] = recipientOf();
    find(page, 'button', 'Create recipient').click();
    await waitUntil(() => visits.includes('/recipients/rec_1'));
    const bodies = service.callsOf('POST /v1/recipients').map(({ body }) => body);
    expect(bodies).to.deep.equal([
      { name: 'Ada', type: 'individual', destinations: [{ type: 'bank_account', iban: 'DE00' }] },
      { name: 'Ada', type: 'individual' },
    ]);
  });

  it('is not offered to a viewer', async () => {
    serviceOf({});
    const { page } = await mountPage('pay-new-recipient-page', { role: 'viewer' });
    expect(textOf(page)).to.contain('may look but not move money');
    expect(() => find(page, 'form')).to.throw();
  });
});
