import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { order, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

const account = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK';
let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const post = (changes: object = {}, key?: string, headers: Record<string, string> = {}) =>
  lab.request('POST /v1/payments', { body: { ...order, ...changes }, headers, ...(key === undefined ? {} : { key }) });
const without = (field: keyof typeof order) => ({ ...order, [field]: undefined });

describe('creating a payment', () => {
  it('returns the whole payment with a Location header, and the client secret to the creating key only', async () => {
    const { status, headers, body } = await post();
    const { id, client_secret: secret, checkout_url: url, quote, customer, ...rest } = body;
    expect(status).toBe(201);
    expect(headers.location).toBe(`/v1/payments/${id}`);
    expect(id).toMatch(/^pay_[0-9A-Za-z]{22}$/);
    expect(secret).toMatch(new RegExp(`^${id}_secret_[0-9A-Za-z]{44}$`));
    expect(url).toMatch(/^http:\/\/localhost:4242\/checkout\/[0-9A-Za-z]{66}$/);
    expect(customer).toEqual({ id: expect.stringMatching(/^cus_/), email: 'ada@example.com', name: null });
    expect(quote).toEqual({
      id: expect.stringMatching(/^quote_/),
      settlement_asset: 'USDC',
      settlement_amount: '139.9560000',
      rate: '1.09',
      created_at: '2026-11-02T09:00:00.000Z',
      expires_at: '2026-11-02T09:15:00.000Z',
    });
    expect(rest).toEqual(untouchedPayment);
    const { client_secret: _, ...known } = body;
    expect((await lab.request(`GET /v1/payments/${id}`)).body).toEqual(known);
    expect(await lab.eventsOf(id)).toEqual(['payment.created']);
  });

  it('recognizes a customer by the exact address', async () => {
    const customerOf = async (email: string) => (await post({ customer: { email } })).body.customer.id;
    const mark = await customerOf('mark@example.com');
    expect(await customerOf('Mark@Example.com')).toBe(mark);
    // The Kelvin sign, which `toLowerCase` changes to k.
    expect(await customerOf('mar\u212a@example.com')).not.toBe(mark);
    expect(await customerOf('marc@example.com')).not.toBe(mark);
  });

  const untouchedPayment = {
    object: 'payment',
    status: 'pending',
    phase: 'awaiting_payer',
    exception: null,
    requires_decision: false,
    amount: 12_840,
    currency: 'EUR',
    amount_received: 0,
    amount_refunded: 0,
    received: [],
    receipts: false,
    amount_disputed: 0,
    capture_method: 'automatic',
    amount_capturable: 0,
    amount_refundable: 0,
    can_cancel: true,
    capture_before: null,
    expires_at: '2026-11-02T09:15:00.000Z',
    session_expires_at: '2026-11-03T09:00:00.000Z',
    description: null,
    reference: null,
    line_items: [],
    locale: null,
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    settlement_address: null,
    settlement_mode: 'custodial',
    payment_methods: ['card', 'bank_transfer'],
    metadata: {},
    redirect_url: null,
    cancel_url: null,
    method: null,
    mobile_money: null,
    card: null,
    next_action: null,
    open_prompt: null,
    last_attempt: null,
    failure: null,
    settlement: {
      status: 'none',
      asset: 'USDC',
      amount: null,
      tx_hash: null,
      ledger: null,
      delivery: null,
      payout: null,
      failure: null,
    },
    merchant: { name: 'Test shop', support_email: null, support_url: null, logo: null, primary_color: null },
    payment_link: null,
    invoice: null,
    ramp: null,
    created_via: 'server',
    livemode: false,
    created_at: '2026-11-02T09:00:00.000Z',
    completed_at: null,
  };

  it.each<[string, object, object]>([
    ['a currency in lower case', { currency: 'eur' }, { currency: 'EUR' }],
    ['a currency without decimals', { amount: 500, currency: 'JPY' }, { amount: 500, currency: 'JPY' }],
    ['a currency of three decimals', { amount: 12_345, currency: 'KWD' }, { amount: 12_345, currency: 'KWD' }],
    ['the smallest amount', { amount: 1 }, { amount: 1 }],
    ['lumens', { settlement_asset: 'XLM' }, { settlement_asset: 'XLM' }],
    ['an asset with its issuer', { settlement_asset: sandboxAssets.USDC }, { settlement_asset: sandboxAssets.USDC }],
    ['every method', { payment_methods: ['crypto', 'card', 'bank_transfer'] }, {}],
    ['a name', { customer: { email: 'a@b.example', name: 'Ada' } }, {}],
    ['metadata of every kind', { metadata: { order: 'A-1', paid: true, weight: 1.5, text: '<b>{{7*7}}' } }, {}],
    ['metadata at its limits', { metadata: { ['k'.repeat(40)]: 'v'.repeat(500) } }, {}],
    ['a redirect on the shop’s site', { redirect_url: 'https://shop.example/thanks?order=1#top' }, {}],
    ['a way back before paying', { cancel_url: 'https://shop.example/cart?id=1#top' }, {}],
    ['text of the merchant', { description: 'Blue lamp', reference: 'A-1', locale: 'pt-BR' }, {}],
    ['an account to settle to', { settlement_address: account }, {}],
    ['a muxed account to settle to', { settlement_address: muxed }, {}],
    [
      'line items with the right sum',
      {
        line_items: [
          { name: 'Lamp', quantity: 2, amount: 12_000 },
          { name: 'Post', quantity: 1, amount: 840 },
        ],
      },
      {},
    ],
    [
      'line items with pictures, a discount, shipping and tax',
      {
        line_items: [
          {
            name: 'Lamp',
            description: 'Brass',
            quantity: 2,
            amount: 12_000,
            image: 'https://shop.example/lamp.jpg?w=2',
          },
          { name: 'Wick', quantity: 1, amount: 0, type: 'item', image: 'http://localhost:4242/wick.svg' },
          { name: 'Welcome back', quantity: 1, amount: -1_160, type: 'discount' },
          { name: 'Post', quantity: 1, amount: 500, type: 'shipping' },
          { name: 'VAT 19%', quantity: 1, amount: 1_500, type: 'tax' },
        ],
      },
      {},
    ],
  ])('accepts %s', async (_, changes, expected) => {
    const { status, body } = await post(changes);
    expect([status, body.error]).toEqual([201, undefined]);
    const read = await lab.read(body.id);
    const { id: __, ...customer } = read.customer ?? {};
    const wanted = { ...changes, ...expected };
    expect({ ...read, customer: { name: undefined, ...customer } }).toMatchObject(wanted);
  });

  it('settles to the account’s own address and asset by default', async () => {
    const shop = await lab.addMerchant({ stellarAddress: account });
    expect((await post({}, shop.secretKey)).body.settlement_address).toBe(account);
  });
});

const long = (length: number) => 'x'.repeat(length);
const item = { name: 'Lamp', quantity: 1, amount: 12_840 };

describe('an invalid creation is refused and names the field', () => {
  it.each<[string, object, string, string]>([
    ...[-1, 0, 1e21, '1e2', '5', ' 5', '１２', 10.001, 2 ** 53, null, true, [1], { value: 1 }].map(
      (amount): [string, object, string, string] => [
        `amount ${JSON.stringify(amount)}`,
        { amount },
        'invalid_amount',
        'amount',
      ],
    ),
    ['more than Stellar can carry', { amount: 2 ** 53 - 1, currency: 'USD' }, 'invalid_amount', 'amount'],
    ['no amount', without('amount'), 'parameter_missing', 'amount'],
    ['no currency', without('currency'), 'parameter_missing', 'currency'],
    ['no customer', without('customer'), 'parameter_missing', 'customer'],
    ['no methods', without('payment_methods'), 'parameter_missing', 'payment_methods'],
    ['no asset', without('settlement_asset'), 'parameter_missing', 'settlement_asset'],
    ['no network', without('settlement_network'), 'parameter_missing', 'settlement_network'],
    ['an unknown currency', { currency: 'ABC' }, 'invalid_currency', 'currency'],
    ['gold', { currency: 'XAU' }, 'invalid_currency', 'currency'],
    ['a currency of four letters', { currency: 'EURO' }, 'invalid_currency', 'currency'],
    ['a currency in other letters', { currency: 'ＥＵＲ' }, 'invalid_currency', 'currency'],
    ['a long s in the currency', { currency: 'uſd' }, 'invalid_currency', 'currency'],
    ['another network', { settlement_network: 'ethereum' }, 'settlement_network_unsupported', 'settlement_network'],
    ['an unknown asset code', { settlement_asset: 'DOGE' }, 'invalid_asset', 'settlement_asset'],
    ['an invalid issuer', { settlement_asset: 'USDC:GABC' }, 'invalid_asset', 'settlement_asset'],
    [
      'an issuer with a wrong check sum',
      { settlement_asset: `USDC:${account.slice(0, -1)}A` },
      'invalid_asset',
      'settlement_asset',
    ],
    ['a namesake of a known asset', { settlement_asset: `USDC:${account}` }, 'invalid_asset', 'settlement_asset'],
    ['lumens with an issuer', { settlement_asset: `XLM:${account}` }, 'invalid_asset', 'settlement_asset'],
    ['an empty asset', { settlement_asset: '' }, 'invalid_asset', 'settlement_asset'],
    ['no method at all', { payment_methods: [] }, 'parameter_invalid', 'payment_methods'],
    ['a method twice', { payment_methods: ['card', 'card'] }, 'parameter_invalid', 'payment_methods'],
    ['an unknown method', { payment_methods: ['cash'] }, 'parameter_invalid', 'payment_methods[0]'],
    ['an address without @', { customer: { email: 'ada.example.com' } }, 'invalid_email', 'customer.email'],
    [
      'an address with a line break',
      { customer: { email: 'a@b.example\r\nBcc:x@y.z' } },
      'invalid_email',
      'customer.email',
    ],
    ['two addresses', { customer: { email: '"x@evil x"@ok.example' } }, 'invalid_email', 'customer.email'],
    ['a customer without address', { customer: { name: 'Ada' } }, 'parameter_missing', 'customer.email'],
    [
      'a customer’s other field',
      { customer: { email: 'a@b.example', phone: '1' } },
      'parameter_unknown',
      'customer.phone',
    ],
    ['a name too long', { customer: { email: 'a@b.example', name: long(251) } }, 'parameter_invalid', 'customer.name'],
    ['an unknown field', { ammount: 1 }, 'parameter_unknown', 'ammount'],
    ['lines that sum to less', { line_items: [{ ...item, amount: 12_839 }] }, 'line_items_mismatch', 'line_items'],
    ['lines that sum to more', { line_items: [item, { ...item, amount: 1 }] }, 'line_items_mismatch', 'line_items'],
    ['no line', { line_items: [] }, 'parameter_invalid', 'line_items'],
    ['a line of zero', { line_items: [{ ...item, quantity: 0 }] }, 'parameter_invalid', 'line_items[0].quantity'],
    [
      'a line of a negative amount',
      { line_items: [{ ...item, amount: -1 }] },
      'invalid_amount',
      'line_items[0].amount',
    ],
    ...[
      ['a discount above zero', { type: 'discount', amount: 1 }, 'invalid_amount', 'amount'],
      ['a negative tax', { type: 'tax', amount: -1 }, 'invalid_amount', 'amount'],
      ['negative shipping', { type: 'shipping', amount: -1 }, 'invalid_amount', 'amount'],
      ['a fraction', { amount: -1.5, type: 'discount' }, 'invalid_amount', 'amount'],
      ['another type', { type: 'fee' }, 'parameter_invalid', 'type'],
      ['an empty description', { description: '' }, 'parameter_invalid', 'description'],
      ...[
        'http://shop.example/a.png',
        '//shop.example/a.png',
        'a.png',
        'data:image/png;base64,AAAA',
        'https://u:p@a.example/',
      ]
        .concat('javascript:alert(1)', 'https://a.example/ b', `https://a.example/${'x'.repeat(2048)}`, '')
        .map(image => [`a picture at ${image.slice(0, 30)}`, { image }, 'parameter_invalid', 'image'] as const),
    ].map(([what, change, code, field]): [string, object, string, string] => [
      `a line with ${what}`,
      { line_items: [item, { ...item, ...(change as object) }] },
      String(code),
      `line_items[1].${String(field)}`,
    ]),
    ['a line without a name', { line_items: [{ ...item, name: '' }] }, 'parameter_invalid', 'line_items[0].name'],
    [
      'metadata of 51 keys',
      { metadata: Object.fromEntries([...Array(51).keys()].map(i => [`k${i}`, 1])) },
      'invalid_metadata',
      'metadata',
    ],
    ['a metadata key of 41 characters', { metadata: { [long(41)]: 1 } }, 'invalid_metadata', 'metadata'],
    ['a metadata text of 501 characters', { metadata: { a: long(501) } }, 'invalid_metadata', 'metadata.a'],
    ['nested metadata', { metadata: { a: { b: 1 } } }, 'invalid_metadata', 'metadata.a'],
    ['metadata that is null', { metadata: { a: null } }, 'invalid_metadata', 'metadata.a'],
    ['a list as metadata', { metadata: ['a'] }, 'invalid_metadata', 'metadata'],
    ['an address that is no account', { settlement_address: 'GABC' }, 'invalid_address', 'settlement_address'],
    [
      'an account with a wrong check sum',
      { settlement_address: `${account.slice(0, -1)}A` },
      'invalid_address',
      'settlement_address',
    ],
    ['a seed', { settlement_address: `S${account.slice(1)}` }, 'invalid_address', 'settlement_address'],
    ['another mode of settling', { settlement_mode: 'later' }, 'parameter_invalid', 'settlement_mode'],
    ['an invalid locale', { locale: 'x y' }, 'parameter_invalid', 'locale'],
    ['a locale that only looks like one', { locale: 'xx-yy-zz' }, 'parameter_invalid', 'locale'],
    ['a reference too long', { reference: long(201) }, 'parameter_invalid', 'reference'],
    ['a description too long', { description: long(1001) }, 'parameter_invalid', 'description'],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'https:evil',
      'https://shop@evil.example',
      'ht\ttps://a.example',
      'https://a.example/\u0000',
      'ftp://a.example',
      '/thanks',
      '',
      `https://a.example/${long(2048)}`,
    ].map((redirect_url): [string, object, string, string] => [
      `a redirect to ${JSON.stringify(redirect_url.slice(0, 30))}`,
      { redirect_url },
      redirect_url.includes('\0') ? 'invalid_json' : 'invalid_redirect_url',
      redirect_url.includes('\0') ? '' : 'redirect_url',
    ]),
    ['a way back that runs a script', { cancel_url: 'javascript:alert(1)' }, 'invalid_redirect_url', 'cancel_url'],
    ['a way back that is no text', { cancel_url: 5 }, 'invalid_redirect_url', 'cancel_url'],
  ])('%s', async (_, changes, code, param) => {
    const answer = await post(changes);
    expect(refusal(answer)).toEqual([400, code, param || null]);
  });

  it('and all fields when several are invalid', async () => {
    const { body } = await post({ amount: 0, currency: 'EURO', customer: { email: 1 }, surprise: true });
    expect(body.error.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`)).toEqual([
      'amount invalid_amount',
      'currency invalid_currency',
      'customer.email invalid_email',
      'surprise parameter_unknown',
    ]);
  });

  it('with a return URL outside of the merchant’s list', async () => {
    const shop = await lab.addMerchant({ redirectOrigins: ['https://shop.example'] });
    const [on, off, looksLike] = await Promise.all(
      ['https://shop.example/a', 'https://evil.example/a', 'https://shop.example.evil.example/'].map(redirect_url =>
        post({ redirect_url }, shop.secretKey),
      ),
    );
    expect([on!.status, refusal(off!), refusal(looksLike!)]).toEqual([
      201,
      [400, 'invalid_redirect_url', 'redirect_url'],
      [400, 'invalid_redirect_url', 'redirect_url'],
    ]);
    const back = await post({ cancel_url: 'https://evil.example/cart' }, shop.secretKey);
    expect(refusal(back)).toEqual([400, 'invalid_redirect_url', 'cancel_url']);
    const fits = await post({ cancel_url: 'https://shop.example/cart' }, shop.secretKey);
    expect(fits.body.cancel_url).toBe('https://shop.example/cart');
  });

  it('in live mode without a method', async () => {
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    expect(refusal(await post({}, live))).toEqual([403, 'live_mode_unavailable', null]);
  });
});

describe('creating with a publishable key', () => {
  const shopPage = { origin: 'https://shop.example' };

  it('works on an allowed page and is marked; the response excludes the merchant’s private fields', async () => {
    const shop = await lab.addMerchant({ clientAmounts: true, allowedOrigins: [shopPage.origin] });
    const body = { customer: { email: 'a@b.example', name: 'Ada' }, metadata: { margin: '40 %' } };
    const answer = await post(body, shop.publishableKey, shopPage);
    expect([answer.status, answer.body.created_via]).toEqual([201, 'client']);
    expect(answer.body.client_secret).toMatch(/^pay_/);
    expect(Object.keys(answer.body)).not.toContain('customer');
    expect(Object.keys(answer.body)).not.toContain('metadata');
    const read = await lab.request(`GET /v1/payments/${answer.body.id}`, { key: shop.secretKey });
    expect(read.body).toMatchObject({ created_via: 'client', metadata: { margin: '40 %' }, customer: { name: 'Ada' } });
  });

  it('is refused from any other page, and from no page', async () => {
    const shop = await lab.addMerchant({ clientAmounts: true, allowedOrigins: [shopPage.origin] });
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://shop.example' },
    ]) {
      expect(refusal(await post({}, shop.publishableKey, headers as Record<string, string>))).toEqual([
        403,
        'origin_not_allowed',
        null,
      ]);
    }
  });

  it.each([
    ['settlement_address', 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP'],
    ['settlement_mode', 'direct'],
    ['capture_method', 'manual'],
  ])('may not set how the merchant is paid: %s is refused', async (param, value) => {
    const shop = await lab.addMerchant({ clientAmounts: true, allowedOrigins: [shopPage.origin] });
    expect(refusal(await post({ [param]: value }, shop.publishableKey, shopPage))).toEqual([
      403,
      'secret_key_required',
      param,
    ]);
  });

  it('is refused when the merchant does not accept amounts from browsers', async () => {
    const shop = await lab.addMerchant({ clientAmounts: false, allowedOrigins: [shopPage.origin] });
    expect(refusal(await post({}, shop.publishableKey, shopPage))).toEqual([400, 'amount_not_allowed', 'amount']);
  });
});
