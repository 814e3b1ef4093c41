import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSink, createWebhookLab, type LabEndpoint, type Sink, verified, type WebhookLab } from './webhook-lab.ts';

let lab: WebhookLab;
let sink: Sink;

beforeEach(async () => {
  lab = await createWebhookLab();
  sink = await createSink();
});
afterEach(async () => {
  await sink.close();
  await lab.close();
});

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

async function until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await sleep(10);
  }
}

it('a slow endpoint with a thousand events delays none of fifty others', async () => {
  const hanging = await lab.addMerchant();
  await lab.addEndpoint(hanging, `${sink.url}/hang`);
  const hung: ServerResponse[] = [];
  sink.answer('/hang', response => void hung.push(response));
  for (let i = 0; i < 1000; i += 100) {
    await Promise.all(Array.from({ length: 100 }, () => lab.addEvent(hanging)));
  }
  const merchants = await Promise.all(Array.from({ length: 50 }, () => lab.addMerchant()));
  await Promise.all(merchants.map((merchant, index) => lab.addEndpoint(merchant, `${sink.url}/quick/${index}`)));
  // Attempts may take longer than this test, so an endpoint that waits for a hanging endpoint would get no event.
  const sweeper = lab.sweeper({ timeoutMs: 600_000 });
  sweeper.start();
  await until(() => hung.length === 4);
  for (let round = 0; round < 4; round++) await Promise.all(merchants.map(merchant => lab.addEvent(merchant)));
  sweeper.wake();
  const quick = () => sink.received.filter(request => request.path.startsWith('/quick/'));
  await until(() => quick().length === 200, 40_000);
  expect(hung.length).toBe(4);
  const stopped = sweeper.stop();
  for (const response of hung) response.destroy();
  await stopped;
});

it('an endpoint with a long queue takes turns with the others', async () => {
  const busy = await lab.addMerchant();
  await lab.addEndpoint(busy, `${sink.url}/busy`);
  for (let i = 0; i < 800; i += 100) await Promise.all(Array.from({ length: 100 }, () => lab.addEvent(busy)));
  const sweeper = lab.sweeper();
  await sweeper.runAll(['events.dispatch']);
  const calm = await lab.addMerchant();
  await lab.addEndpoint(calm, `${sink.url}/calm`);
  await lab.addEvent(calm);
  sweeper.start();
  await until(() => sink.at('/calm').length === 1);
  expect(sink.at('/busy').length).toBeLessThan(200);
  await sweeper.stop();
});

it('many slow endpoints leave capacity for others', async () => {
  const limits = { total: 8, slowAfterMs: 200, ceiling: 100, perEndpoint: 4, perFailingEndpoint: 1 };
  const merchant = await lab.addMerchant();
  for (let i = 0; i < 6; i++) {
    await lab.addEndpoint(merchant, `${sink.url}/hang/${i}`, { events: ['payment.failed'] });
    sink.answer(`/hang/${i}`, () => undefined);
  }
  await lab.addEndpoint(merchant, `${sink.url}/works`, { events: ['payment.completed'] });
  await Promise.all(Array.from({ length: 12 }, () => lab.addEvent(merchant, 'payment.failed')));
  const sweeper = lab.sweeper({ timeoutMs: 600_000, limits });
  sweeper.start();
  await until(() => sink.received.filter(request => request.path.startsWith('/hang/')).length >= 8);
  await lab.addEvent(merchant, 'payment.completed');
  await until(() => sink.at('/works').length === 1, 40_000);
  await sink.close();
  await sweeper.stop();
});

it('an endpoint whose last attempt failed gets one delivery at a time until one succeeds', async () => {
  const merchant = await lab.addMerchant();
  await lab.addEndpoint(merchant, `${sink.url}/recovering`);
  let open = 0;
  const opened: number[] = [];
  let broken = true;
  sink.answer('/recovering', response => {
    opened.push(++open);
    setTimeout(() => {
      open--;
      response.writeHead(broken ? 500 : 200).end();
    }, 20);
  });
  const sweeper = lab.sweeper();
  await lab.addEvent(merchant);
  await sweeper.runAll();
  await Promise.all(Array.from({ length: 10 }, () => lab.addEvent(merchant)));
  await sweeper.runAll();
  expect(opened).toEqual(Array(11).fill(1));
  broken = false;
  await lab.advance(merchant, 6_000);
  await sweeper.runAll();
  expect([opened.length, Math.max(...opened)]).toEqual([22, 4]);
});

it('three workers deliver each event once, with a sequence number for each object', async () => {
  const merchant = await lab.addMerchant();
  const endpoints: LabEndpoint[] = [];
  for (const path of ['/a', '/b']) endpoints.push(await lab.addEndpoint(merchant, `${sink.url}${path}`));
  const workers = [lab.sweeper(), lab.sweeper(), lab.sweeper()];
  for (const worker of workers) worker.start();
  const objects = Array.from({ length: 20 }, (_, index) => `pay_${index}`);
  const rounds = 30;
  const count = rounds * objects.length;
  for (let sequence = 1; sequence <= rounds; sequence++) {
    await Promise.all(objects.map(resourceId => lab.addEvent(merchant, 'payment.completed', { resourceId, sequence })));
  }
  await until(() => sink.received.length >= 2 * count);
  await Promise.all(workers.map(worker => worker.stop()));
  for (const [index, path] of ['/a', '/b'].entries()) {
    const events = sink.at(path).map(request => verified(request, endpoints[index]!.secret));
    expect(events).toHaveLength(count);
    expect(new Set(events.map(event => event.id)).size).toBe(count);
    for (const resourceId of objects) {
      const sequences = events
        .filter(event => (event['data'] as { object: { id: string } }).object.id === resourceId)
        .map(event => event['sequence'] as number)
        .sort((a, b) => a - b);
      expect(sequences).toEqual(Array.from({ length: rounds }, (_, n) => n + 1));
    }
  }
});
