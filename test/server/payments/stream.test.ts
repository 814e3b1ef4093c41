import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/api/client/server-sent-events.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { listen } from '../../support/app.ts';
import { logStatements, type StatementLog } from '../../support/statements.ts';
import { instructionsOf, type PaymentLab, startPaymentLab } from './payment-lab.ts';

let log: StatementLog;
let lab: PaymentLab;
let url: string;
let closing: AbortController;
beforeAll(async () => {
  log = logStatements();
  lab = await startPaymentLab({ settings: { PAY_TRUSTED_PROXIES: '127.0.0.1' } });
  url = `http://127.0.0.1:${await listen(lab)}`;
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
  log.stop();
});
beforeEach(() => {
  closing = new AbortController();
});
afterEach(() => closing.abort());

interface Message {
  readonly id: string;
  readonly payment: Payment;
}

/** Follows a payment. `next` waits for a message; `silence` is true when none arrives within 200 ms. */
async function follow(id: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${lab.merchant.secretKey}`;
  const response = await fetch(`${url}/v1/payments/${id}/stream`, {
    signal: closing.signal,
    headers: { authorization, ...headers },
  });
  const messages = readServerSentEvents(response.body!);
  let waiting: ReturnType<typeof messages.next> | null = null;
  return {
    response,
    next: async (): Promise<Message> => {
      const { value, done } = await (waiting ?? messages.next());
      waiting = null;
      if (done) throw new Error('the stream ended');
      expect(value.event).toBe('payment');
      return { id: value.id, payment: JSON.parse(value.data) };
    },
    silence: async (): Promise<boolean> => {
      waiting ??= messages.next();
      return (await Promise.race([waiting.then(() => 'message'), sleep(200, 'silence')])) === 'silence';
    },
  };
}

describe('the stream of a payment', () => {
  it('starts with the current payment, then sends each change', async () => {
    const payment = await lab.create();
    const stream = await follow(payment.id);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toContain('no-store');
    const first = await stream.next();
    expect(first.payment).toEqual(await lab.read(payment.id));
    const confirmed = (await lab.payByBank(payment.id)).body;
    expect((await stream.next()).payment).toEqual(confirmed);
    await lab.credit({ reference: instructionsOf(confirmed).reference, amount: 10_000 });
    expect((await stream.next()).payment).toMatchObject({ phase: 'partially_paid', amount_received: 10_000 });
    lab.clock.advance(900);
    await lab.act(payment.id, 'quotes');
    expect((await stream.next()).payment.expires_at).toBe((await lab.read(payment.id)).expires_at);
    await lab.credit({ reference: instructionsOf(confirmed).reference, amount: 2_840 });
    const last = await stream.next();
    expect(last.payment).toEqual(await lab.read(payment.id));
    expect(last.payment.status).toBe('completed');
    expect(await stream.silence()).toBe(true);
  });

  it('continues after the client’s last event: with the missed ones, or without any', async () => {
    const { id } = await lab.create();
    const before = await (await follow(id)).next();
    const again = await follow(id, { 'last-event-id': before.id });
    expect(await again.silence()).toBe(true);
    await lab.payByCard(id);
    const reported = await again.next();
    const late = await (await follow(id, { 'last-event-id': before.id })).next();
    expect(late.payment.status).toBe('completed');
    expect(Number(late.id)).toBeGreaterThan(Number(before.id));
    expect(Number(reported.id)).toBeGreaterThan(Number(before.id));
    expect(await (await follow(id, { 'last-event-id': late.id })).silence()).toBe(true);
  });

  it.each(['', 'x', '-1', '99999', '{"a":1}'])(
    'starts from the current state after an unknown id ("%s")',
    async lastId => {
      const { id } = await lab.create();
      expect((await (await follow(id, { 'last-event-id': lastId })).next()).payment.id).toBe(id);
    },
  );

  it('contains no private fields of the merchant', async () => {
    const payment = await lab.create({ metadata: { margin: '40 %' } });
    const stream = await follow(payment.id, { authorization: `Bearer ${payment.client_secret}` });
    const text = JSON.stringify((await stream.next()).payment);
    expect(text).toContain(payment.id);
    expect(text).not.toMatch(/margin|example\.com|_secret_|"customer"|"metadata"|"can_cancel"|"amount_refundable"/);
  });

  it('reports the end of the session', async () => {
    const { id } = await lab.create();
    const stream = await follow(id);
    await stream.next();
    lab.clock.advance(86_400);
    await lab.sweep('payments.expire');
    expect((await stream.next()).payment.phase).toBe('expired');
  });

  it.each(['secret', 'publishable'] as const)('ends at once with the %s key that opened it', async type => {
    const { id, client_secret: secret = '' } = await lab.create();
    const [revoked, other] = [await lab.addKey(lab.merchant.id, type), await lab.addKey(lab.merchant.id, type)];
    const open = (key: string) => follow(id, { authorization: `Bearer ${key}`, 'pay-client-secret': secret });
    const [ended, kept] = [await open(revoked), await open(other)];
    await Promise.all([ended.next(), kept.next()]);
    const { data } = (await lab.request('GET /v1/api-keys?limit=100')).body;
    const key = data.find(({ hint }: { hint: string }) => hint.endsWith(revoked.slice(-4)));
    expect((await lab.request(`DELETE /v1/api-keys/${key.id}`)).status).toBe(200);
    await expect(ended.next()).rejects.toThrow('the stream ended');
    await lab.payByCard(id);
    expect((await kept.next()).payment.id).toBe(id);
  });

  it('is one of at most ten of a payment and network address', async () => {
    const [{ id }, other] = [await lab.create(), await lab.create()];
    const streams = await Promise.all(Array.from({ length: 12 }, () => follow(id)));
    const refused = streams.filter(({ response }) => response.status === 429);
    expect(streams.filter(({ response }) => response.status === 200)).toHaveLength(10);
    expect(refused.map(({ response }) => response.headers.get('retry-after'))).toEqual(['5', '5']);
    expect((await follow(other.id)).response.status).toBe(200);
    closing.abort();
    closing = new AbortController();
    await expect.poll(async () => (await follow(id)).response.status, { timeout: 15_000 }).toBe(200);
  });

  it('is one of at most fifty of a payer, over all network addresses', async () => {
    const [mine, other] = [await lab.create(), await lab.create()];
    const followAs = ({ id, client_secret: secret }: Payment, network: number) =>
      follow(id, {
        authorization: `Bearer ${lab.merchant.publishableKey}`,
        'pay-client-secret': secret ?? '',
        'x-forwarded-for': `192.0.2.${network}`,
      });
    const statusFrom = async (payment: Payment, network: number) => (await followAs(payment, network)).response.status;
    const open = await Promise.all(Array.from({ length: 50 }, (_, index) => statusFrom(mine, index % 5)));
    expect(open).toEqual(Array(50).fill(200));
    const refused = (await followAs(mine, 6)).response;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await refused.json()).error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('50'),
    });
    expect(await statusFrom(other, 6)).toBe(200);
    expect((await follow(mine.id)).response.status).toBe(200);
  });

  it('shares each read of a change with the other streams', async () => {
    const statementsFor = async (count: number) => {
      const { id } = await lab.create();
      const streams = await Promise.all(Array.from({ length: count }, () => follow(id)));
      await Promise.all(streams.map(stream => stream.next()));
      log.clear();
      await lab.request(`PATCH /v1/payments/${id}`, { body: { description: 'Tea' } });
      const seen = await Promise.all(streams.map(stream => stream.next()));
      expect(seen.map(({ payment }) => payment.description)).toEqual(streams.map(() => 'Tea'));
      return log.statements.length;
    };
    const alone = await statementsFor(1);
    // A notice that arrives during the read causes one more read.
    expect(await statementsFor(10)).toBeLessThanOrEqual(alone + 2);
  });

  it('contains no events of other objects', async () => {
    const [mine, other] = [await lab.create(), await lab.create()];
    const stream = await follow(mine.id);
    await stream.next();
    await lab.payByCard(other.id);
    expect(await stream.silence()).toBe(true);
  });
});
