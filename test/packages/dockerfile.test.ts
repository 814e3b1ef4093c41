import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { type MadeImage, takeSteps } from '../support/dockerfile.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Only what an image has, with the Node of this test. */
const machine = {
  PATH: `${dirname(process.execPath)}${delimiter}/usr/local/bin:/usr/bin:/bin`,
  HOME: process.env['HOME'] ?? '/root',
};

let into: string;
let database: TestDatabase;
let image: MadeImage;

beforeAll(async () => {
  into = await mkdtemp(join(tmpdir(), 'pay-checkout-image-'));
  database = await createTestDatabase('empty');
  const text = readFileSync(join(root, 'docs/deploy/Dockerfile'), 'utf8');
  image = await takeSteps(text, { context: root, into, env: machine });
}, 900_000);
afterAll(async () => {
  await database?.drop();
  await rm(into, { recursive: true, force: true });
});

/** Starts the image's command, and waits until the text is in its output or it ends. */
async function startImage(settings: Record<string, string>, text: string) {
  const env = { ...machine, ...image.env, HOST: '127.0.0.1', ...settings };
  const [program = '', ...args] = image.command;
  const child = spawn(program, args, { cwd: image.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (output = `${output}${bytes}`));
  const ended = once(child, 'exit');
  await expect.poll(() => child.exitCode !== null || output.includes(text), { timeout: 50_000 }).toBe(true);
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    return code;
  };
  return { env, output: () => output, stop };
}

it('the steps of the Dockerfile make a service that its health check finds well', async () => {
  const port = '43117';
  const service = await startImage({ DATABASE_URL: urlOf(database), PORT: port }, 'ready http');
  expect(service.output()).toContain('ready http');
  const [program = '', ...args] = image.healthcheck;
  const check = (env: Record<string, string>) =>
    run(program, args, { env: { ...service.env, ...env } }).then(
      () => 0,
      ({ code }) => code,
    );
  expect([await check({}), await check({ PORT: '1' })]).toEqual([0, 1]);
  expect((await fetch(`http://127.0.0.1:${port}/pay-checkout.js`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

it('without a database, the image says which setting is missing', async () => {
  const service = await startImage({ PORT: '0' }, 'set DATABASE_URL');
  expect(service.output()).toContain('set DATABASE_URL');
});
