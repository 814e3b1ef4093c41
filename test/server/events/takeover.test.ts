import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSink, createWebhookLab, type Sink, verified, type WebhookLab } from './webhook-lab.ts';

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

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

it('when a worker is killed after the response and before recording it, another sends the same event with the same id', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/killed`);
  const id = await lab.addEvent(merchant);
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker-process.ts')], {
    env: { ...process.env, WORKER: lab.workerSettings({ leaseSeconds: 2 }) },
    stdio: 'inherit',
  });
  sink.answer('/killed', (response, count) => {
    if (count === 1) worker.kill('SIGKILL');
    response.end();
  });
  await once(worker, 'exit');
  expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'pending', attempts: 1 }]);
  const otherWorker = lab.sweeper();
  await otherWorker.runAll();
  expect(sink.at('/killed')).toHaveLength(1);
  await sleep(2_000);
  await otherWorker.runAll();
  expect(sink.at('/killed').map(request => verified(request, endpoint.secret).id)).toEqual([id, id]);
  expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

it('a worker whose lease has expired cannot overwrite a newer result', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/slept`);
  await lab.addEvent(merchant);
  sink.answer('/slept', (response, count) => {
    if (count === 1) setTimeout(() => response.writeHead(410).end(), 2_000);
    else response.end();
  });
  const slowWorker = lab.sweeper({ leaseSeconds: 1 }).runAll();
  await sleep(1_300);
  await lab.sweeper().runAll();
  const noted = await lab.deliveries(endpoint.id);
  expect(noted).toMatchObject([{ status: 'delivered', attempts: 2, response_status: 200 }]);
  await slowWorker;
  expect(sink.at('/slept')).toHaveLength(2);
  expect(await lab.deliveries(endpoint.id)).toEqual(noted);
  const row = await lab.database.db
    .selectFrom('webhook_endpoints')
    .select('status')
    .where('id', '=', endpoint.id)
    .executeTakeFirst();
  expect(row).toEqual({ status: 'enabled' });
});

it('an event that is rolled back with its change is never sent', async () => {
  const merchant = await lab.addMerchant();
  await lab.addEndpoint(merchant, `${sink.url}/rolled-back`);
  await expect(lab.addEvent(merchant, 'payment.completed', { failWith: new Error('no') })).rejects.toThrow('no');
  const kept = await lab.addEvent(merchant);
  await lab.sweeper().runAll();
  expect(sink.at('/rolled-back').map(request => request.headers['webhook-id'])).toEqual([kept]);
});
