import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../../support/database.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { payer } from './link-lab.ts';

// Three servers start here, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const secretKey = `sk_test_${'R'.repeat(44)}`;
let database: TestDatabase;
let replicas: ServerProcess[];

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = {
    DATABASE_URL: urlOf(database),
    PAY_SECRET_KEY: secretKey,
    PAY_RATE_LIMIT: '0',
    PAY_CLIENT_RATE_LIMIT: '0',
  };
  // One after the other, and only one runs the sweeps: the machine may be busy.
  replicas = [];
  for (const role of ['all', 'api', 'api']) {
    replicas.push(await startServerProcess({ ...settings, PAY_ROLE: role, PAY_DEMO: '0' }));
  }
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map(replica => replica.stop('SIGKILL')));
  await database?.drop();
});

/** Calls the servers in turn. */
let turn = 0;
async function call(method: string, path: string, body?: object, key?: string) {
  const { url } = replicas[turn++ % replicas.length] as ServerProcess;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Follows the event stream of one server, which reports the events of all. Returns once the stream has begun. */
async function listen(): Promise<{ heard: Told[]; stop(): void }> {
  const heard: Told[] = [];
  const ending = new AbortController();
  const { url } = replicas[2] as ServerProcess;
  const headers = { authorization: `Bearer ${secretKey}` };
  const { body } = await fetch(`${url}/v1/events/stream`, { headers, signal: ending.signal });
  const read = async () => {
    let text = '';
    for await (const chunk of (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: ?(.*)$/m.exec(block)?.[1];
        if (data) heard.push(JSON.parse(data));
      }
    }
  };
  read().catch(() => undefined);
  return { heard, stop: () => ending.abort() };
}

interface Told {
  readonly type: string;
  readonly data: { readonly object: { readonly id: string } };
}

const payers = 100;
const code = ({ status, body }: Awaited<ReturnType<typeof call>>) => `${status} ${body.error?.code ?? body.status}`;

describe('100 concurrent payers on three servers', () => {
  it('by card of a single-use link: one succeeds, the others are refused before a charge', async () => {
    const { heard, stop } = await listen();
    onTestFinished(stop);
    const link = (
      await call('POST', '/v1/payment-links', { amount: 2_500, currency: 'EUR', single_use: true }, secretKey)
    ).body;
    const opened = await Promise.all(
      Array.from({ length: payers }, () => call('POST', `/v1/payment-links/${link.id}/payments`, { customer: payer })),
    );
    expect(opened.map(code)).toEqual(Array(payers).fill('201 pending'));
    const answers = await Promise.all(
      opened.map(({ body }) =>
        call('POST', `/v1/payments/${body.id}/confirm`, { method: 'card', token: 'tok_visa' }, body.client_secret),
      ),
    );
    const counts = Object.groupBy(answers.map(code), text => text);
    expect(
      Object.entries(counts)
        .map(([text, all]) => [text, all?.length])
        .toSorted(),
    ).toEqual([
      ['200 completed', 1],
      ['409 link_used', payers - 1],
    ]);
    const { data } = (await call('GET', `/v1/payment-links/${link.id}/payments?limit=100`, undefined, secretKey)).body;
    const received = data.map((payment: Payment) => payment.amount_received).filter((amount: number) => amount > 0);
    expect(received).toEqual([2_500]);
    expect((await call('GET', `/v1/payment-links/${link.id}`, undefined, secretKey)).body).toMatchObject({
      uses: 1,
      status: 'completed',
      total_received: 2_500,
    });
    const late = await call('POST', `/v1/payment-links/${link.id}/payments`, { customer: payer });
    expect(code(late)).toBe('410 link_used');
    const seenTypes = await vi.waitFor(() => {
      const types = heard.filter(({ data }) => data.object.id === link.id).map(({ type }) => type);
      expect(types).toContain('payment_link.completed');
      return types;
    });
    expect(seenTypes.toSorted()).toEqual([...['payment_link.completed', 'payment_link.created', 'payment_link.paid']]);
    expect(heard.filter(({ type }) => type === 'payment.completed')).toHaveLength(1);
  });

  it('by transfer: one is accepted, all others are refunded', async () => {
    const link = (
      await call('POST', '/v1/payment-links', { amount: 4_200, currency: 'EUR', single_use: true }, secretKey)
    ).body;
    const waiting = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { body } = await call('POST', `/v1/payment-links/${link.id}/payments`, { customer: payer });
        const by = { method: 'bank_transfer', rail: 'sepa' };
        return (await call('POST', `/v1/payments/${body.id}/confirm`, by, body.client_secret)).body;
      }),
    );
    await Promise.all(
      waiting.map(({ next_action: action }) => {
        const credit = { reference: action.reference, amount: 4_200, currency: 'EUR', sender_name: 'Grace Hopper' };
        return call('POST', '/v1/test_helpers/bank_transfers', credit, secretKey);
      }),
    );
    const paymentsOf = async (): Promise<Payment[]> =>
      (await call('GET', `/v1/payment-links/${link.id}/payments?limit=100`, undefined, secretKey)).body.data;
    await vi.waitFor(
      async () => {
        const kept = (await paymentsOf()).map(payment => [payment.amount_received, payment.amount_refunded].join());
        expect(kept.toSorted()).toEqual(['4200,0', ...Array(19).fill('4200,4200')]);
      },
      { timeout: 60_000, interval: 500 },
    );
    const statuses = (await paymentsOf()).map(({ status }) => status);
    expect(statuses.filter(status => status === 'completed')).toHaveLength(1);
  });
});
