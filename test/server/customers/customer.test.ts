import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(() => lab.close());

const create = (body: object) => lab.request('POST /v1/customers', { body });
const list = async (query: Record<string, string> = {}) =>
  (await lab.request(`GET /v1/customers?${new URLSearchParams(query)}`)).body.data;

const ada = {
  email: 'Ada@Example.com',
  name: 'Ada Lovelace',
  phone: '+44 20 7946 0000',
  address: { line1: '12 St James’s Square', city: 'London', country: 'GB' },
  tax_id: 'GB123456789',
  description: 'Wholesale',
  metadata: { tier: 'gold' },
};

describe('/v1/customers', () => {
  it('creates, reads and changes a customer', async () => {
    const made = await create(ada);
    expect([made.status, made.headers['location']]).toEqual([201, `/v1/customers/${made.body.id}`]);
    expect(made.body).toMatchObject({ object: 'customer', livemode: false, ...ada });
    const path = `/v1/customers/${made.body.id}` as const;
    const changed = await lab.request(`PATCH ${path}`, { body: { name: null, metadata: { tier: 'silver' } } });
    expect(changed.body).toEqual({ ...made.body, name: null, metadata: { tier: 'silver' } });
    expect((await lab.request(`GET ${path}`)).body).toEqual(changed.body);
  });

  it('changes the customer that exists, and answers 200', async () => {
    const answer = await create({ email: 'ada@example.com', name: 'Countess of Lovelace' });
    expect([answer.status, answer.body.name, answer.body.tax_id]).toEqual([200, 'Countess of Lovelace', ada.tax_id]);
    expect(await list()).toHaveLength(1);
  });

  it('repeats its answer for an Idempotency-Key', async () => {
    const request = { body: { email: 'twice@example.com' }, headers: { 'idempotency-key': 'one' } };
    const [first, second] = [
      await lab.request('POST /v1/customers', request),
      await lab.request('POST /v1/customers', request),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  });

  it.each<[object, string, string]>([
    [{}, 'parameter_missing', 'email'],
    [{ email: 'nobody' }, 'invalid_email', 'email'],
    [{ email: 'a@example.com', balance: 5 }, 'parameter_unknown', 'balance'],
    [{ email: 'a@example.com', address: { planet: 'Mars' } }, 'parameter_unknown', 'address.planet'],
  ])('refuses %j', async (body, code, param) => {
    expect(refusal(await create(body))).toEqual([400, code, param]);
  });

  it('knows the payers of payments, with their payments', async () => {
    const { customer } = await lab.createPaid({ customer: { email: 'grace@example.com', name: 'Grace Hopper' } });
    await lab.create({ customer: { email: 'GRACE@example.com' } });
    const [grace] = await list({ email: 'Grace@Example.com' });
    expect(grace).toMatchObject({ id: customer?.id, email: 'grace@example.com', name: 'Grace Hopper' });
    expect((await lab.request(`GET ${grace.payments_url as '/'}`)).body.data).toHaveLength(2);
  });

  it('knows the customers of invoices, with their invoices and credit', async () => {
    const customer = { email: 'alan@example.com', name: 'Alan Turing', address: { city: 'Wilmslow' } };
    const lines = [{ description: 'Machine', unit_amount: 5_000 }];
    const body = { customer, currency: 'EUR', lines };
    expect((await lab.request('POST /v1/invoices', { body })).status).toBe(201);
    const [alan] = await list({ email: customer.email });
    expect(alan).toMatchObject({ name: 'Alan Turing', address: { city: 'Wilmslow' } });
    expect((await lab.request(`GET ${alan.invoices_url as '/'}`)).body.data).toHaveLength(1);
    expect((await lab.request(`GET ${alan.credits_url as '/'}`)).body.data).toEqual([]);
  });

  it('keeps merchants and modes apart', async () => {
    const other = await lab.addMerchant();
    const [{ id }] = await list({ email: ada.email });
    expect((await lab.request(`GET /v1/customers/${id}`, { key: other.secretKey })).status).toBe(404);
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    expect((await lab.request(`GET /v1/customers/${id}`, { key: live })).status).toBe(404);
    expect((await create({ email: 'new@example.com' })).body.id).not.toBe(id);
  });

  it('refuses publishable keys and keys without its scope', async () => {
    const reader = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['customers:read'] });
    expect((await lab.request('GET /v1/customers', { key: reader })).status).toBe(200);
    expect((await lab.request('POST /v1/customers', { key: reader, body: ada })).status).toBe(403);
    expect((await lab.request('GET /v1/customers', { key: lab.merchant.publishableKey })).status).toBe(403);
  });

  it('makes one customer of a hundred payments at once', async () => {
    const made = Array.from({ length: 100 }, (_, index) =>
      lab.create({ customer: { email: `crowd${index % 3}@example.com` } }),
    );
    await Promise.all(made);
    const { data } = (await lab.request('GET /v1/customers?limit=100')).body;
    expect(data.filter(({ email }: { email: string }) => email.startsWith('crowd'))).toHaveLength(3);
  });

  describe('`customer.id` of a new payment', () => {
    const pay = (customer: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
      lab.request('POST /v1/payments', { body: { ...order, customer }, ...options });
    const known = async (email: string, name?: string) => (await create({ email, name })).body.id as string;

    it('stands for the e-mail address and the name', async () => {
      const id = await known('emmy@example.com', 'Emmy Noether');
      const { status, body } = await pay({ id });
      expect([status, body.customer]).toEqual([201, { id, email: 'emmy@example.com', name: 'Emmy Noether' }]);
      const nameless = await known('nameless@example.com');
      expect((await pay({ id: nameless })).body.customer).toMatchObject({ id: nameless, name: null });
      expect((await pay({ id, name: 'E. Noether' })).body.customer).toMatchObject({ id, name: 'E. Noether' });
    });

    it('gets the first answer again for an Idempotency-Key, even if the customer changed', async () => {
      const id = await known('sofia@example.com', 'Sofia');
      const headers = { 'idempotency-key': 'sofia' };
      const first = await pay({ id }, { headers });
      await lab.request(`PATCH /v1/customers/${id}`, { body: { name: 'Sofya Kovalevskaya' } });
      const second = await pay({ id }, { headers });
      expect([second.body, second.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
    });

    it.each<[string, () => object | Promise<object>, number, string, string]>([
      ['an unknown id', () => ({ id: 'cus_unknown' }), 404, 'resource_missing', 'customer.id'],
      ['an empty id', () => ({ id: '' }), 400, 'parameter_invalid', 'customer.id'],
      [
        ...([
          'an id and an address',
          async () => ({ id: await known('a@example.com'), email: 'b@example.com' }),
        ] as const),
        ...([400, 'parameter_invalid', 'customer.email'] as const),
      ],
    ])('refuses %s', async (_case, customer, ...expected) => {
      expect(refusal(await pay(await customer()))).toEqual(expected);
    });

    it('does not know customers of other merchants and modes, and refuses publishable keys', async () => {
      const id = await known('mine@example.com');
      const other = await lab.addMerchant();
      const unknown = refusal(await pay({ id: 'cus_unknown' }));
      expect(refusal(await pay({ id }, { key: other.secretKey }))).toEqual(unknown);
      const origin = 'https://shop.example';
      const { publishableKey: key } = await lab.addMerchant({ clientAmounts: true, allowedOrigins: [origin] });
      const inBrowser = await pay({ id }, { key, headers: { origin } });
      expect(refusal(inBrowser)).toEqual([403, 'secret_key_required', 'customer.id']);
    });
  });
});
