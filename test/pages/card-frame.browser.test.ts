import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defectsOf } from '../support/axe.ts';
import { type FrameParent, type Handshake, showFrame } from './frame-parent.ts';
import { createPayment, frameUrl, type Site, startSite } from './site.ts';
import { placesThatHold } from './traces.ts';

let site: Site;
let context: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  site = await startSite({}, { PAY_SANDBOX_ACQUIRERS: 'sandbox_wallets' });
  context = await site.browser.newContext({ viewport: { width: 360, height: 640 } });
  await context.addInitScript(fakeWallets, {});
}, 60_000);
afterAll(() => site?.close());
beforeEach(async () => {
  await page?.close();
  page = await context.newPage();
  violations = [];
  page.on('console', message => {
    if (message.type() === 'error') violations.push(message.text());
  });
});

/** What the payer does at each wallet that the browser offers, by payment method. */
type Decisions = Readonly<Record<string, { details: object; validationURL?: string } | 'closed'>>;

/** Runs in every page. Replaces the browser's Payment Request. */
function fakeWallets(decisions: Decisions): void {
  const kept: Record<string, unknown> = {};
  class FakePaymentRequest extends EventTarget {
    readonly method: { supportedMethods: string };
    constructor([method]: [FakePaymentRequest['method']], details: object) {
      super();
      this.method = method;
      kept['asked'] = { ...method, ...details };
    }
    async canMakePayment(): Promise<boolean> {
      return this.method.supportedMethods in decisions;
    }
    async show() {
      const decision = decisions[this.method.supportedMethods];
      if (!decision || decision === 'closed') throw new DOMException('The wallet was closed.', 'AbortError');
      const { validationURL, details } = decision;
      const event = Object.assign(new Event('merchantvalidation'), {
        validationURL,
        complete: (session: unknown) => Object.assign(kept, { session }),
      });
      if (validationURL) this.dispatchEvent(event);
      kept['session'] = await kept['session'];
      return { details, complete: async (result: string) => Object.assign(kept, { result }) };
    }
  }
  Object.assign(globalThis, { PaymentRequest: FakePaymentRequest, kept });
}

const number = '4111111111111111';
const shopPage = '<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1></main></html>';

async function open(handshake: Handshake = {}): Promise<FrameParent> {
  const url = await frameUrl(site, await createPayment(site));
  await page.goto(site.shop(shopPage));
  return await showFrame(page, url, handshake);
}

async function openReady(handshake: Handshake = {}): Promise<FrameParent> {
  const parent = await open(handshake);
  await parent.frame.locator('#number').waitFor({ state: 'visible' });
  return parent;
}

describe('typing a card into the frame', () => {
  it('by keyboard only creates a token, and no digit reaches the page, the database or the logs', async () => {
    const parent = await openReady();
    await parent.ask({ type: 'focus' });
    await parent.frame.locator('#number:focus').waitFor();
    await page.keyboard.type(number);
    await page.keyboard.press('Tab');
    await page.keyboard.type('1229');
    await page.keyboard.press('Tab');
    await page.keyboard.type('987');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Jo Long');
    await page.keyboard.press('Enter');
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect(await parent.answer('try-1')).toEqual({
      type: 'token',
      id: 'try-1',
      token: expect.stringMatching(/^tok_/),
      brand: 'visa',
      last4: '1111',
    });
    const said = await parent.said();
    expect(said[0]).toEqual({ type: 'ready' });
    expect(said.filter(({ type }) => type === 'submit-request')).toHaveLength(1);
    expect(said.findLast(({ type }) => type === 'change')).toEqual({
      type: 'change',
      complete: true,
      brand: 'visa',
      empty: false,
    });
    const known = JSON.stringify([
      said,
      await page.evaluate(() => (window as unknown as { heard: unknown }).heard),
      await page.content(),
    ]);
    expect(known.replaceAll('"1111"', '')).not.toMatch(/1111|987|12 ?\/ ?29/);
    expect(await placesThatHold(site, [number, '4111 1111', '11111111', '"987"'])).toEqual([]);
    expect(violations).toEqual([]);
  });

  it('shows the brand, keeps groups and caret, and accepts pasted text', async () => {
    const { frame } = await openReady();
    const field = frame.locator('#number');
    await field.pressSequentially('378282246310005');
    expect(await field.inputValue()).toBe('3782 822463 10005');
    expect(await frame.locator('#brand').textContent()).toBe('American Express');
    expect(await frame.locator('#cvc').getAttribute('placeholder')).toBe('4 digits');
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(5, 5));
    await page.keyboard.press('Backspace');
    expect(await field.inputValue()).toBe('3788 224631 0005');
    expect(await field.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(3);
    await field.fill('4111-1111-1111-1111');
    expect(await field.inputValue()).toBe('4111 1111 1111 1111');
    await frame.locator('#expiry').fill('04/2029');
    await frame.locator('#cvc').pressSequentially('98765');
    expect([await frame.locator('#expiry').inputValue(), await frame.locator('#cvc').inputValue()]).toEqual([
      '04 / 2029',
      '987',
    ]);
  });

  it('never moves the focus automatically', async () => {
    const { frame } = await openReady();
    await frame.locator('#number').pressSequentially(number);
    expect(await frame.locator(':focus').getAttribute('id')).toBe('number');
  });
});

describe('a wrong card', () => {
  it('has an error text at each wrong field, also for screen readers, and the first one gets the focus', async () => {
    const parent = await openReady();
    await parent.frame.locator('#number').fill('4111 1111 1111 1112');
    await parent.ask({ type: 'submit', id: 'try-1' });
    const answer = await parent.answer('try-1');
    expect(answer.type === 'invalid' && answer.fields.map(({ field }) => field)).toEqual([
      'number',
      'expiry',
      'cvc',
      'name',
    ]);
    const field = parent.frame.locator('#number');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.evaluate(input => input === document.activeElement)).toBe(true);
    expect(await parent.frame.locator('#number-error').textContent()).toBe(
      'Check the digits: this is not a card number.',
    );
    expect(await field.getAttribute('aria-describedby')).toContain('number-error');
    await field.fill(number);
    expect(await field.getAttribute('aria-invalid')).toBe('false');
    expect(await parent.frame.locator('#number-error').textContent()).toBe('');
  });

  it('that only the service can refuse has its error at the field, too', async () => {
    const parent = await openReady();
    await fill(parent, { expiry: '12/98' });
    await parent.ask({ type: 'submit', id: 'try-1' });
    const answer = await parent.answer('try-1');
    expect(answer).toMatchObject({ type: 'invalid', fields: [{ field: 'expiry' }] });
    expect(await parent.frame.locator('#expiry').getAttribute('aria-invalid')).toBe('true');
  });

  it('that is sent while offline shows that nothing was charged, and can be sent again', async () => {
    const parent = await openReady();
    await fill(parent);
    await context.setOffline(true);
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect(await parent.answer('try-1')).toMatchObject({ type: 'error', code: 'offline' });
    await context.setOffline(false);
    await parent.ask({ type: 'submit', id: 'try-2' }, { type: 'submit', id: 'try-3' });
    const [second, third] = [await parent.answer('try-2'), await parent.answer('try-3')];
    expect([second.type, third.type]).toEqual(['token', 'token']);
    expect({ ...second, id: '' }).toEqual({ ...third, id: '' });
  });

  it('is not sent while the code of its checks cannot be loaded, and can be sent again', async () => {
    await page.route('**/card-checks-*', route => route.abort());
    const parent = await openReady();
    await fill(parent);
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect(await parent.answer('try-1')).toEqual({ type: 'error', id: 'try-1', code: 'unavailable', message: '' });
    await page.unroute('**/card-checks-*');
    await parent.ask({ type: 'submit', id: 'try-2' });
    expect(await parent.answer('try-2')).toMatchObject({ type: 'token', id: 'try-2' });
  });
});

describe('the card fields during a charge', () => {
  it('stay locked until the page unlocks them, although the token exists', async () => {
    const parent = await openReady();
    await fill(parent);
    await parent.ask({ type: 'disable', value: true });
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect(await parent.answer('try-1')).toMatchObject({ type: 'token' });
    await page.waitForTimeout(100);
    expect(await parent.frame.locator('#number').isEditable()).toBe(false);
    await parent.ask({ type: 'disable', value: false });
    await expect.poll(() => parent.frame.locator('#number').isEditable()).toBe(true);
  });
});

describe('the frame', () => {
  it.each<[string, Handshake]>([
    ['another session', { session: 'ZZZZZZZZZZZZZZZZZZZZZZ' }],
    ['no session', { session: '' }],
    ['another origin than the page that shows it', { parent: 'https://shop.example' }],
  ])('answers no messages when its URL names %s', async (_, handshake) => {
    const parent = await open(handshake);
    await parent.ask({ type: 'submit', id: 'try-1' });
    await page.waitForTimeout(200);
    expect(await parent.said()).toEqual([]);
    expect(await parent.frame.locator('#number').isVisible()).toBe(false);
  });

  it('accepts messages from its parent only, not from a sibling frame that knows the session', async () => {
    const url = await frameUrl(site, await createPayment(site));
    await page.goto(site.shop(shopPage));
    const heard = await page.evaluate(async address => {
      const frame = document.createElement('iframe');
      frame.src = `${address}#session=A1b2C3d4E5f6G7h8I9j0K1&parent=${encodeURIComponent(location.origin)}`;
      await new Promise(resolve => {
        frame.onload = resolve;
        document.body.append(frame);
      });
      const answers: unknown[] = [];
      window.addEventListener('message', event => answers.push(event.data));
      const sibling = document.createElement('iframe');
      // The sibling has the shop's origin, so the frame can reject it only by its window.
      sibling.srcdoc = `<script>
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = event => parent.postMessage(event.data, '*');
        parent.frames[0].postMessage({ type: 'pay-card:connect', session: 'A1b2C3d4E5f6G7h8I9j0K1', appearance: {},
          locale: 'en', dir: 'ltr', brands: [], strings: null }, '${new URL(address).origin}', [port2]);
        parent.postMessage('asked', '*');
      </script>`;
      document.body.append(sibling);
      await new Promise(resolve => setTimeout(resolve, 400));
      return answers;
    }, url);
    expect(heard).toEqual(['asked']);
  });

  it('accepts one connect message only', async () => {
    const parent = await openReady();
    const heard = await page.evaluate(async () => {
      const frame = document.querySelector('iframe') as HTMLIFrameElement;
      const { port1, port2 } = new MessageChannel();
      const answers: unknown[] = [];
      port1.onmessage = event => answers.push(event.data);
      const hello = { type: 'pay-card:connect', session: 'A1b2C3d4E5f6G7h8I9j0K1', appearance: {}, brands: [] };
      frame.contentWindow?.postMessage(hello, new URL(frame.src).origin, [port2]);
      port1.postMessage({ type: 'submit', id: 'stolen' });
      await new Promise(resolve => setTimeout(resolve, 200));
      return answers;
    });
    expect(heard).toEqual([]);
    await parent.ask({ type: 'submit', id: 'mine' });
    expect((await parent.answer('mine')).type).toBe('invalid');
  });

  it('cannot be framed by a page of another site', async () => {
    const payment = await createPayment(site);
    await site.request('PATCH /v1/account', { body: { allowed_origins: ['https://shop.example'] } });
    const response = await page.request.get(await frameUrl(site, payment));
    expect(response.headers()['content-security-policy']).toContain(
      "frame-ancestors 'self' https://shop.example http://localhost:*",
    );
  });

  it('accepts plain values for its look, and none with references', async () => {
    const { frame } = await openReady({
      appearance: {
        accent: 'rgb(10 125 79)',
        ink: 'url(https://evil.example/x)',
        line: 'red;background:url(//evil.example)',
        field: 'var(--accent)',
        fontFamily: "x;} @import 'https://evil.example'",
        fieldRadius: '9999px',
        fontSize: '20px',
      },
    });
    const look = await frame.locator('html').evaluate(root => root.getAttribute('style'));
    expect(look).toBe(
      'color-scheme: light; --inkSecond: #4c5665; --inkThird: #687282; --accent: rgb(10 125 79); --bad: #b3261e; --fontSize: 20px;',
    );
    expect(violations).toEqual([]);
  });

  it.each([
    ['light', 'ltr', '16px'],
    ['dark', 'rtl', '32px'],
  ] as const)(
    'has no accessibility defect (%s, %s, text of %s) and reports its height',
    async (scheme, dir, fontSize) => {
      const parent = await openReady({ dir, appearance: scheme === 'dark' ? { ...dark, fontSize } : { fontSize } });
      // Axe does not see the element's card behind the transparent frame.
      const card = scheme === 'dark' ? '#151a21' : '#ffffff';
      await parent.frame.locator('body').evaluate((body, color) => body.style.setProperty('background', color), card);
      await parent.ask({ type: 'submit', id: 'try-1' });
      await parent.answer('try-1');
      expect(await defectsOf(page)).toEqual([]);
      const height = (await parent.said()).findLast(({ type }) => type === 'resize');
      const needed = await parent.frame
        .locator('form')
        .evaluate(form => Math.ceil(form.getBoundingClientRect().height));
      expect(height).toEqual({ type: 'resize', height: needed });
      expect(await parent.frame.locator('html').evaluate(root => root.scrollWidth > root.clientWidth)).toBe(false);
    },
  );
});

const dark = {
  scheme: 'dark',
  ink: '#f1f4f8',
  inkSecond: '#b3bdca',
  inkThird: '#8d98a7',
  line: '#28303b',
  field: '#10141a',
  accent: '#7d9bff',
  bad: '#ff8a80',
};

async function fill({ frame }: FrameParent, fields: { expiry?: string } = {}): Promise<void> {
  await frame.locator('#number').fill(number);
  await frame.locator('#expiry').fill(fields.expiry ?? '12/29');
  await frame.locator('#cvc').fill('987');
  await frame.locator('#name').fill('Jo Long');
}

describe('a wallet of the browser', () => {
  const google = 'https://google.com/pay';
  const apple = 'https://apple.com/apple-pay';
  const googleCard = { paymentMethodData: { info: { cardNetwork: 'VISA', cardDetails: '1111' } } };
  const appleCard = { token: { paymentMethod: { displayName: 'MasterCard 4444', network: 'MasterCard' } } };
  const validationURL = 'https://apple-pay-gateway.apple.com/paymentservices/startSession';

  /** Opens the frame of the payment in a browser with these wallets. */
  async function openWith(decisions: Decisions, payment: { id: string }): Promise<FrameParent> {
    await page.addInitScript(fakeWallets, decisions);
    const url = await frameUrl(site, payment);
    await page.goto(site.shop(shopPage));
    return await showFrame(page, url);
  }
  const kept = (parent: FrameParent) =>
    parent.frame.locator('html').evaluate(() => (globalThis as unknown as { kept: object }).kept);

  it('has no button where the browser does not offer it', async () => {
    const { frame } = await openReady();
    expect(await frame.getByRole('button').count()).toBe(0);
  });

  it.each([
    ['Google Pay', google, { details: googleCard }, { brand: 'visa', last4: '1111' }, undefined],
    [
      ...(['Apple Pay', apple, { details: appleCard, validationURL }, { brand: 'mastercard', last4: '4444' }] as const),
      { displayName: 'Test shop', merchantSessionIdentifier: 'sandbox' },
    ],
  ] as const)('pays by %s, and shows only its button', async (name, method, decision, card, session) => {
    const payment = await createPayment(site);
    const parent = await openWith({ [method]: decision }, payment);
    const button = parent.frame.getByRole('button');
    await button.waitFor();
    expect(await button.allTextContents()).toEqual([name]);
    expect(await defectsOf(page)).toEqual([]);
    await button.click();
    const reply = await parent.answer('wallet');
    expect(reply).toEqual({ type: 'token', id: 'wallet', token: expect.stringMatching(/^tok_/), ...card });
    expect(await kept(parent)).toMatchObject({
      asked: { supportedMethods: method, total: { label: 'Test shop', amount: { currency: 'EUR', value: '128.40' } } },
      result: 'success',
    });
    expect(((await kept(parent)) as { session?: object }).session).toEqual(session);
    const body = { method: 'card', token: 'token' in reply ? reply.token : '' };
    const paid = await site.request(`POST /v1/payments/${payment.id}/confirm`, { body });
    expect(paid.body).toMatchObject({ status: 'completed', card, received: [{ rail: 'sandbox_wallets' }] });
    expect(violations).toEqual([]);
  });

  it('that the payer closes leaves the form as it was', async () => {
    const parent = await openWith({ [google]: 'closed' }, await createPayment(site));
    await parent.frame.getByRole('button', { name: 'Google Pay' }).click();
    await parent.frame.locator('#number').fill(number);
    expect((await parent.said()).filter(({ type }) => type === 'token' || type === 'error')).toEqual([]);
  });

  it('whose data nobody can read is refused, and takes no money', async () => {
    const parent = await openWith({ [google]: { details: { paymentMethodData: {} } } }, await createPayment(site));
    await parent.frame.getByRole('button', { name: 'Google Pay' }).click();
    expect(await parent.answer('wallet')).toMatchObject({ type: 'error', code: 'invalid_token' });
    expect(await kept(parent)).toMatchObject({ result: 'fail' });
  });
});

describe('an acquirer with its own card form', () => {
  let other: Site;
  beforeAll(async () => {
    other = await startSite({}, { PAY_SANDBOX_ACQUIRERS: 'sandbox_hosted' });
  }, 60_000);
  afterAll(() => other?.close());

  it('shows its form in the frame, and the card typed there pays', async () => {
    const payment = await createPayment(other);
    await page.goto(other.shop(shopPage));
    const parent = await showFrame(page, await frameUrl(other, payment));
    expect(await parent.frame.locator('#number').count()).toBe(0);
    const form = parent.frame.frameLocator('iframe');
    await form.locator('#number').fill('4242 4242 4242 4241');
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect(await parent.answer('try-1')).toMatchObject({ type: 'error', message: expect.stringMatching(/number/) });
    await form.locator('#number').fill(number);
    await parent.ask({ type: 'submit', id: 'try-2' });
    const reply = await parent.answer('try-2');
    const body = { method: 'card', token: reply.type === 'token' ? reply.token : '' };
    const paid = await other.request(`POST /v1/payments/${payment.id}/confirm`, { body });
    const card = { brand: 'visa', last4: '1111' };
    expect(paid.body).toMatchObject({ status: 'completed', card, received: [{ rail: 'sandbox_hosted' }] });
    const second = await createPayment(other);
    expect((await other.request(`POST /v1/payments/${second.id}/confirm`, { body })).status).toBe(400);
  });

  it('is heard only from its own page', async () => {
    await page.goto(other.shop(shopPage));
    const parent = await showFrame(page, await frameUrl(other, await createPayment(other)));
    const form = parent.frame.frameLocator('iframe');
    await form.locator('#number').waitFor();
    await page.evaluate(() => {
      window.frames[0]?.postMessage({ type: 'error', message: 'Send your card by mail.' }, '*');
    });
    await form.locator('#number').fill(number);
    await parent.ask({ type: 'submit', id: 'try-1' });
    expect((await parent.answer('try-1')).type).toBe('token');
    expect((await parent.said()).filter(({ type }) => type === 'error')).toEqual([]);
  });

  it('adds the origin of its form to the policy of its checkouts only', async () => {
    const policyOf = async (server: Site) => {
      const { pathname, search } = new URL(await frameUrl(server, await createPayment(server)));
      const { headers } = await server.request(`GET /${pathname.slice(1)}${search}`, { key: null });
      return /frame-src ([^;]+)/.exec(String(headers['content-security-policy']))?.[1];
    };
    expect([await policyOf(site), await policyOf(other)]).toEqual([undefined, other.url]);
  });
});
