import '../../src/dashboard/settings/branding-page.ts';
import '../../src/dashboard/settings/domains-page.ts';
import '../../src/dashboard/settings/settings-page.ts';
import { expect } from '@open-wc/testing';
import { exampleAccount as account } from './support/example-account.ts';
import { listOf, Refusal } from './support/fake-service.ts';
import {
  deep,
  find,
  mountPage,
  repeatedNames,
  serviceOf,
  settle,
  textOf,
  tidyUp,
  waitUntil,
} from './support/mounted.ts';

afterEach(tidyUp);

async function openSettings(answers: Parameters<typeof serviceOf>[0] = {}, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({ 'GET /v1/account': account, ...answers });
  const { page, toasts } = await mountPage('pay-settings-page', { role });
  await waitUntil(() => textOf(page).includes('Settlement'));
  const field = (name: string) => find<HTMLInputElement>(page, `[name="${name}"]`);
  const save = (section: string) => find<HTMLFormElement>(page, 'form', section).requestSubmit();
  return { service, page, toasts, field, save };
}

describe('settings', () => {
  it('are saved section by section, as they are typed', async () => {
    const { service, page, toasts, field, save } = await openSettings({ 'PATCH /v1/account': account });
    await expect(page).shadowDom.to.be.accessible();
    field('name').value = 'Nordlys AS';
    field('support_email').value = '';
    field('address.country').value = 'se';
    save('Business');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({
      name: 'Nordlys AS',
      support_email: null,
      support_url: null,
      tax_id: null,
      legal_registration: null,
      address: { line1: 'Kirkegata 1', city: 'Oslo', country: 'SE' },
    });
    field('allowed_origins').value = 'https://shop.example\nhttps://www.shop.example';
    field('quote_seconds').value = '600';
    save('Checkout');
    await waitUntil(() => toasts.length === 2);
    expect(service.callsOf('PATCH /v1/account')[1]?.body).to.deep.include({
      allowed_origins: ['https://shop.example', 'https://www.shop.example'],
      quote_seconds: 600,
      tolerance: { percent: 0.5 },
    });
  });

  it('have what e-invoices need, and open at the field that another page names', async () => {
    const service = serviceOf({ 'GET /v1/account': account, 'PATCH /v1/account': account });
    const { page, toasts } = await mountPage('pay-settings-page', { query: 'field=contact.phone' });
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'contact.phone');
    const field = (name: string) => find<HTMLInputElement>(page, `[name="${name}"]`);
    field('legal_registration').value = 'HRB 12345';
    find<HTMLFormElement>(page, 'form', 'Business').requestSubmit();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.include({ legal_registration: 'HRB 12345' });
    field('contact.name').value = 'Grace Hopper';
    field('contact.phone').value = '+49 30 1234567';
    find<HTMLFormElement>(page, 'form', 'Invoices').requestSubmit();
    await waitUntil(() => toasts.length === 2);
    const contact = { name: 'Grace Hopper', phone: '+49 30 1234567', email: null };
    expect(service.callsOf('PATCH /v1/account')[1]?.body).to.deep.include({ contact, bank_account: null });
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'contact.phone');
  });

  it('show a refusal at its field, which takes the focus', async () => {
    const refused = new Refusal(400, 'parameter_invalid', 'This is no origin.', 'allowed_origins[0]');
    const { page, save } = await openSettings({ 'PATCH /v1/account': refused });
    save('Checkout');
    await waitUntil(() => textOf(page).includes('This is no origin.'));
    expect(find(page, '[name=allowed_origins]').getAttribute('aria-invalid')).to.equal('true');
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'allowed_origins');
  });

  const operator = { merchant: { id: 'acct_1', name: 'Nordlys Supply', is_operator: true } };
  const offers: readonly [who: string, options: Parameters<typeof mountPage>[1], links: readonly string[]][] = [
    ['the operator’s owner', { session: operator }, ['Treasury', 'Test clock']],
    ['the operator’s developer', { session: operator, role: 'developer' }, ['Test clock']],
    ['an owner elsewhere, in live mode', { livemode: true }, []],
  ];
  for (const [who, options, expected] of offers) {
    it(`lead ${who} to ${expected.join(' and ') || 'neither treasury nor test clock'}`, async () => {
      serviceOf({ 'GET /v1/account': account });
      const { page } = await mountPage('pay-settings-page', options);
      const links = [...deep(page.shadowRoot as ShadowRoot)].filter(element => element.matches('.actions > a'));
      const labels = links.map(({ textContent }) => textContent ?? '');
      expect(labels.filter(label => /^(Treasury|Test clock)$/.test(label))).to.deep.equal(expected);
      expect(labels).to.include('Branding');
    });
  }

  it('can be read, not changed, by viewers', async () => {
    const { page } = await openSettings({}, 'viewer');
    expect(textOf(page)).to.contain('Your role, viewer , may look but not change settings.');
    expect([...deep(page.shadowRoot as ShadowRoot)].some(element => element.matches('button'))).to.equal(false);
  });
});

/** Chooses an SVG file as logo. */
function choose(page: HTMLElement, text: string): void {
  const files = new DataTransfer();
  files.items.add(new File([text], 'logo.svg', { type: 'image/svg+xml' }));
  const input = find<HTMLInputElement>(page, '#file-logo');
  input.files = files.files;
  input.dispatchEvent(new Event('change'));
}

describe('branding', () => {
  it('is drawn as it is chosen, with its contrast, and saved', async () => {
    const sample = { object: 'mail_sample', html_url: 'about:blank' };
    const answers = { 'GET /v1/account': account, 'PATCH /v1/account': account, 'GET /v1/mails/sample': sample };
    const service = serviceOf(answers);
    const { page, toasts } = await mountPage('pay-branding-page');
    await waitUntil(() => textOf(page).includes('Preview'));
    expect(textOf(page)).to.contain('A drawing of the checkout');
    const type = async (value: string) => {
      const input = find<HTMLInputElement>(page, '[name=primary_color]');
      input.value = value;
      input.dispatchEvent(new InputEvent('input'));
      await settle(page);
    };
    await type('#ffee88');
    expect(textOf(page)).to.contain('Hard to see');
    await type('#0a5c36');
    expect(textOf(page)).to.contain('Easy to see');
    expect(getComputedStyle(find(page, '.sample .pay')).backgroundColor).to.equal('rgb(10, 92, 54)');
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Save').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({ branding: { primary_color: '#0a5c36' } });
  });

  it('turns an SVG into a PNG of a good size, which runs and loads nothing', async () => {
    const service = serviceOf({ 'GET /v1/account': account, 'PATCH /v1/account': account });
    const { page, toasts } = await mountPage('pay-branding-page');
    await waitUntil(() => textOf(page).includes('Preview'));
    const sizes = [
      ['width="200" height="60"', '1200 × 360'],
      ['viewBox="0 0 100 100"', '420 × 420'],
      ['width="100%" height="100%" viewBox="0 0 30 10"', '1200 × 400'],
      ['', '840 × 420'],
    ] as const;
    const hostile = '<script>parent.hacked = 1</script><image href="https://evil.example/x.png" width="9" height="9"/>';
    for (const [attributes, size] of sizes) {
      const content = `${hostile}<rect width="100%" height="100%" fill="#c81e5a"/>`;
      choose(page, `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);
      await waitUntil(() => {
        const shown = page.shadowRoot?.querySelector<HTMLImageElement>('.sample img');
        return shown?.complete && `${shown.naturalWidth} × ${shown.naturalHeight}` === size;
      }, `${attributes}: ${size}`);
    }
    const { src: logo } = find<HTMLImageElement>(page, '.sample img');
    expect(logo).to.match(/^data:image\/png;base64,/);
    find(page, 'button', 'Save').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({ branding: { logo } });
    expect((globalThis as { hacked?: number }).hacked).to.equal(undefined);
    choose(page, '<svg');
    await waitUntil(() => textOf(page).includes('logo.svg is an SVG that cannot be drawn.'));
  });

  it('shows a mail and an invoice as the service draws them with what is typed', async () => {
    const service = serviceOf({
      'GET /v1/account': account,
      'GET /v1/mails/sample': ({ query }: { query: URLSearchParams }) => ({
        object: 'mail_sample',
        html_url: `about:blank#${query.get('primary_color') ?? ''}`,
      }),
      'POST /v1/invoices/preview/pdf': new Refusal(400, 'invalid_color', 'Not a colour.', 'branding.primary_color'),
    });
    const { page } = await mountPage('pay-branding-page');
    await waitUntil(() => find(page, 'iframe').getAttribute('src')?.startsWith('about:blank'));
    expect(find(page, 'iframe').getAttribute('sandbox')).to.equal('allow-popups allow-popups-to-escape-sandbox');
    const input = find<HTMLInputElement>(page, '[name=primary_color]');
    input.value = '#0a5c36';
    input.dispatchEvent(new InputEvent('input'));
    await waitUntil(() => find(page, 'iframe').getAttribute('src') === 'about:blank##0a5c36');
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Preview as PDF').click();
    await waitUntil(() => textOf(page).includes('Not a colour.'));
    const [drawn] = service.callsOf('POST /v1/invoices/preview/pdf');
    expect(drawn?.body['branding']).to.deep.equal({ primary_color: '#0a5c36' });
  });
});

describe('domains', () => {
  const pending = {
    id: 'dom_1',
    object: 'domain',
    name: 'pay.shop.example',
    status: 'pending',
    primary: false,
    url: 'https://pay.shop.example',
    verified_at: null,
    checked_at: null,
    livemode: false,
    dns_records: [
      { type: 'CNAME', name: 'pay.shop.example', value: 'pay.example' },
      { type: 'TXT', name: '_pay-checkout.pay.shop.example', value: 'pay-checkout=8GKYqrTwjUPD8ILPZIo2La' },
    ],
    failure: null,
    created_at: '2026-11-02T09:00:00Z',
  };
  const time = '2026-11-02T09:05:00Z';
  const active = { ...pending, status: 'active', primary: true, verified_at: time, checked_at: time };

  async function openDomains(answers: Parameters<typeof serviceOf>[0], role: 'owner' | 'viewer' = 'owner') {
    const service = serviceOf(answers);
    const { page, toasts } = await mountPage('pay-domains-page', { role });
    const press = async (name: string) => {
      find(page, 'button', name).click();
      await settle(page);
    };
    return { service, page, toasts, press };
  }

  it('begin with an empty page, and a name in the dialog', async () => {
    const { service, page, toasts, press } = await openDomains({ 'GET /v1/domains': listOf() });
    await waitUntil(() => textOf(page).includes('No domain yet'));
    await press('Add a domain');
    service.answers['POST /v1/domains'] = new Refusal(400, 'parameter_invalid', 'name takes a host name.', 'name');
    const input = find<HTMLInputElement>(page, '[name=name]');
    input.value = 'https://pay.shop.example';
    input.dispatchEvent(new InputEvent('input'));
    await settle(page);
    await press('Add domain');
    await waitUntil(() => textOf(page).includes('name takes a host name.'));
    Object.assign(service.answers, { 'POST /v1/domains': pending, 'GET /v1/domains': listOf(pending) });
    await press('Add domain');
    await waitUntil(() => toasts.length === 1 && textOf(page).includes('Waits for DNS'));
    expect(service.callsOf('POST /v1/domains')[1]?.body).to.deep.equal({ name: 'https://pay.shop.example' });
    for (const { name, value } of pending.dns_records) expect(textOf(page)).to.contain(name).and.contain(value);
    await expect(page).shadowDom.to.be.accessible();
  });

  it('name .localhost in the sandbox, even if people have passwords, and on no other network', async () => {
    for (const network of ['sandbox', 'testnet']) {
      const capabilities = { object: 'capabilities', network, pay_in: [], pay_out: [], livemode: false };
      serviceOf({ 'GET /v1/domains': listOf(), 'GET /v1/capabilities': capabilities });
      const { page } = await mountPage('pay-domains-page', { session: { sandbox: network !== 'sandbox' } });
      await waitUntil(() => textOf(page).includes('No domain yet'));
      find(page, 'button', 'Add a domain').click();
      await waitUntil(() => textOf(page).includes('A name of yours that serves nothing else.'));
      await settle(page);
      expect(textOf(page).includes('try pay.localhost'), network).to.equal(network === 'sandbox');
    }
  });

  it('are checked at once, and say what is missing', async () => {
    const failure = { code: 'txt_missing', message: '_pay-checkout.pay.shop.example has no TXT record.' };
    const missing = { ...pending, failure, checked_at: time };
    const { service, page, toasts, press } = await openDomains({
      'GET /v1/domains': listOf(missing),
      'POST /v1/domains/dom_1/verify': missing,
    });
    await waitUntil(() => textOf(page).includes(failure.message));
    Object.assign(service.answers, { 'GET /v1/domains': listOf(active), 'POST /v1/domains/dom_1/verify': active });
    await press('Check pay.shop.example now');
    await waitUntil(() => toasts.length === 1 && textOf(page).includes('Active'));
    expect(textOf(page)).not.to.contain(failure.message);
    service.answers['POST /v1/domains/dom_1/verify'] = new Refusal(429, 'rate_limited', 'Slow down.');
    await press('Check pay.shop.example now');
    await waitUntil(() => textOf(page).includes('Slow down.'));
  });

  it('are removed after the dialog has said what stops', async () => {
    const older = { ...active, id: 'dom_2', name: 'old.shop.example', url: 'https://old.shop.example', primary: false };
    const { service, page, toasts, press } = await openDomains({
      'GET /v1/domains': listOf(active, older),
      'DELETE /v1/domains/dom_1': { id: 'dom_1', object: 'domain', deleted: true },
    });
    await waitUntil(() => textOf(page).includes('old.shop.example'));
    expect(repeatedNames(page)).to.deep.equal([]);
    await press('Remove pay.shop.example');
    expect(textOf(page)).to.contain('stop working').and.contain('begin with https://old.shop.example');
    await press('Remove domain');
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('DELETE /v1/domains/dom_1')).to.have.length(1);
  });

  it('can be read, not changed, by viewers', async () => {
    const { page } = await openDomains({ 'GET /v1/domains': listOf(active) }, 'viewer');
    await waitUntil(() => textOf(page).includes('pay.shop.example'));
    expect(textOf(page)).to.contain('Your role, viewer , may look but not change settings.');
    expect([...deep(page.shadowRoot as ShadowRoot)].some(each => each.textContent?.trim() === 'Remove')).to.equal(
      false,
    );
  });
});
