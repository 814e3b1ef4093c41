import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSink, createWebhookLab, day, type Sink, verified, type WebhookLab } from './webhook-lab.ts';

let lab: WebhookLab;
let sink: Sink;

beforeAll(async () => {
  lab = await createWebhookLab();
  sink = await createSink();
});
afterAll(async () => {
  await sink.close();
  await lab.close();
});

const minute = 60_000;
const hour = 60 * minute;
/** The pause after each failed attempt, in milliseconds. */
const schedule = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

test('an event reaches each subscribed endpoint, signed, in the documented form', async () => {
  const merchant = await lab.addMerchant();
  const all = await lab.addEndpoint(merchant, `${sink.url}/all`);
  const family = await lab.addEndpoint(merchant, `${sink.url}/family`, { events: ['payment.*'] });
  const exact = await lab.addEndpoint(merchant, `${sink.url}/exact`, {
    events: ['refund.created', 'payment.completed'],
  });
  await lab.addEndpoint(merchant, `${sink.url}/others`, { events: ['refund.*', 'payment.failed'] });
  await lab.addEndpoint(merchant, `${sink.url}/live`, { livemode: true });
  await lab.addEndpoint(await lab.addMerchant(), `${sink.url}/stranger`);
  const id = await lab.addEvent(merchant);
  await lab.sweeper().runAll();
  for (const [path, endpoint] of [
    ['/all', all],
    ['/family', family],
    ['/exact', exact],
  ] as const) {
    const [request, ...more] = sink.at(path);
    expect(more).toEqual([]);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': id });
    const event = verified(request!, endpoint.secret);
    expect(event).toEqual({
      id,
      type: 'payment.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      api_version: '2026-11-01',
      livemode: false,
      sequence: 1,
      data: {
        object: expect.objectContaining({ amount: 1250, description: 'Grüße ☕' }),
        previous: { status: 'pending' },
      },
    });
    expect(await lab.deliveries(endpoint.id)).toMatchObject([
      { status: 'delivered', attempts: 1, response_status: 200, last_error: null, next_attempt_at: null },
    ]);
  }
  for (const path of ['/others', '/live', '/stranger']) expect(sink.at(path)).toEqual([]);
});

test('an endpoint that is down for three days receives the event later, with the same id and a new signature', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/down`);
  let down = true;
  sink.answer('/down', response => response.writeHead(down ? 503 : 204).end());
  const id = await lab.addEvent(merchant);
  const sweeper = lab.sweeper();
  await sweeper.runAll();
  for (const [index, step] of schedule.entries()) {
    await lab.advance(merchant, step - 1_000);
    await sweeper.runAll();
    expect(sink.at('/down')).toHaveLength(index + 1);
    if (index === schedule.length - 1) down = false;
    await lab.advance(merchant, 1_000);
    await sweeper.runAll();
    expect(sink.at('/down')).toHaveLength(index + 2);
  }
  for (const request of sink.at('/down')) expect(verified(request, endpoint.secret).id).toBe(id);
  expect(new Set(sink.at('/down').map(request => request.body)).size).toBe(1);
  expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'delivered', attempts: 10 }]);
});

test('a delivery fails after ten failed attempts and is not tried again', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/hopeless`);
  sink.answer('/hopeless', response => response.writeHead(500).end());
  await lab.addEvent(merchant);
  const sweeper = lab.sweeper();
  for (const step of [0, ...schedule, day]) {
    await lab.advance(merchant, step);
    await sweeper.runAll();
  }
  expect(sink.at('/hopeless')).toHaveLength(10);
  expect(await lab.deliveries(endpoint.id)).toMatchObject([
    { status: 'failed', attempts: 10, next_attempt_at: null, last_error: 'http_error', response_status: 500 },
  ]);
});
