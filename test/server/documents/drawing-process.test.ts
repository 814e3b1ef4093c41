import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { DrawingAnswer, DrawingRequest } from '../../../src/server/documents/process/drawing.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { sampleInvoice } from './sample-invoice.ts';

const program = join(import.meta.dirname, '../../../src/server/documents/process/drawing-process.ts');
const started: ChildProcess[] = [];
function start(): ChildProcess {
  const child = fork(program, { env: {}, execArgv: [], serialization: 'advanced' });
  started.push(child);
  return child;
}
afterEach(() => started.splice(0).forEach(child => void child.kill('SIGKILL')));

async function draw(child: ChildProcess, number: string): Promise<DrawingAnswer> {
  const request: DrawingRequest = { order: { kind: 'invoice', invoice: sampleInvoice({ number }) }, logo: null };
  child.send(request);
  const [answer] = await once(child, 'message');
  return answer as DrawingAnswer;
}

it('continues after SIGINT and SIGTERM, which a terminal sends to all processes', async () => {
  const child = start();
  await draw(child, 'INV-0001');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    child.kill(signal);
    const answer = await draw(child, `INV-${signal}`);
    const bytes = 'bytes' in answer ? answer.bytes : new Uint8Array();
    expect((await readPdf(bytes)).title).toContain(`INV-${signal}`);
  }
});

it('ends with the service that started it, however that ends', async () => {
  const child = start();
  await draw(child, 'INV-0001');
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});
