import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const tarballs = join(root, 'dist/packages');
/** The Node of this test, not that of the machine. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };

let shop: string;
let isOffline = false;
const installed = (name: string) => join(shop, 'node_modules', name);
const manifestOf = (name: string) => JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8'));

beforeAll(async () => {
  await run(process.execPath, ['src/build/pack.ts'], { cwd: root, env });
  shop = await mkdtemp(join(tmpdir(), 'pay-checkout-packages-'));
  const files = (await readdir(tarballs)).map(file => join(tarballs, file));
  await run('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: shop, env }).catch(({ stderr }) => {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(stderr)) throw new Error(stderr);
    isOffline = true;
  });
});
beforeEach(({ skip }) => skip(isOffline, 'the npm registry cannot be reached'));
afterAll(() => rm(shop, { recursive: true, force: true }));

/** Starts the server by its program in the shop's folder. */
async function startByBin() {
  const child = spawn(join(shop, 'node_modules/.bin/pay-checkout-server'), {
    cwd: shop,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (output = `${output}${bytes}`));
  await expect.poll(() => child.exitCode !== null || /^ready /m.test(output), { timeout: 50_000 }).toBe(true);
  const [url, secretKey] = [/^ready (\S+)$/m.exec(output)?.[1], /sk_test_\w+/.exec(output)?.[0]];
  if (url === undefined || secretKey === undefined) throw new Error(`the server did not start:\n${output}`);
  const stop = async () => {
    child.kill('SIGTERM');
    return child.exitCode ?? (await once(child, 'exit'))[0];
  };
  return { url, secretKey, stop };
}

/** Runs a module in the shop's folder and returns its output as JSON. */
async function inShop(code: string, settings: Record<string, string>): Promise<unknown> {
  await writeFile(join(shop, 'shop.mjs'), code);
  const { stdout } = await run(process.execPath, ['shop.mjs'], { cwd: shop, env: { ...env, ...settings } });
  return JSON.parse(stdout);
}

describe('the packages, installed in an empty folder', () => {
  it('start the server by its program, and take a payment by card', async () => {
    const { url, secretKey, stop } = await startByBin();
    const paid = await inShop(
      `import { createPayClient } from 'pay-checkout/client';
       const pay = createPayClient({ baseUrl: process.env.PAY_URL, apiKey: process.env.PAY_SECRET_KEY });
       const { id, status } = await pay.payments.create({
         amount: 12840, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar',
         payment_methods: ['card'], customer: { email: 'ada@example.com' },
       });
       const paid = await pay.payments.confirm(id, { method: 'card', token: 'tok_visa' });
       console.log(JSON.stringify([status, paid.status, paid.amount_received]));`,
      { PAY_URL: url, PAY_SECRET_KEY: secretKey },
    );
    expect(paid).toEqual(['pending', 'completed', 12_840]);
    const pages = ['/docs/element', '/pay-checkout.js', '/demo/'].map(path => fetch(`${url}${path}`));
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stop()).toBe(0);
  });

  it('have a command line that finds the server and its key', async () => {
    const { url, stop } = await startByBin();
    const call = async (...args: string[]) => {
      const { stdout } = await run('npx', ['--no-install', 'pay-checkout', ...args], {
        cwd: shop,
        env: { ...env, PAY_PUBLIC_URL: url },
      });
      return stdout;
    };
    expect(await call('--help')).toContain('Usage: pay-checkout');
    const made = await call(...'payments create --amount 500 --currency EUR --email ada@example.com --json'.split(' '));
    expect(JSON.parse(made)).toMatchObject({ object: 'payment', status: 'pending' });
    expect(await stop()).toBe(0);
  });

  it.each(['pay-checkout', 'pay-checkout-server'])('explain the arguments of %s', async name => {
    const call = (...args: string[]) =>
      run(join(shop, 'node_modules/.bin', name), args, { cwd: shop, env }).catch(error => error);
    expect((await call('serve', '--help')).stdout).toContain('DATABASE_URL');
    expect(await call('migrat')).toMatchObject({ code: 2, stderr: expect.stringContaining('migrate') });
  });

  it('hold the server, its pages and its migrations, and nothing else', () => {
    const folder = installed('pay-checkout-server');
    const below = (path: string) => readdirSync(join(folder, path)).sort();
    expect(below('.').filter(name => name !== 'node_modules')).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ]);
    expect(below('dist')).toEqual(['browser', 'docs', 'server']);
    expect(below('dist/server/platform/db/migrations')).toEqual(
      readdirSync(join(root, 'src/server/platform/db/migrations')).sort(),
    );
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter(file => /\.ts$|\.map$|^test\/|\/test\/|previous-build/.test(file))).toEqual([]);
  });

  it.each(['pay-checkout', 'pay-checkout-server'])(
    '%s names version, licence, repository and has its own README',
    name => {
      const { version, license, repository, private: isPrivate } = manifestOf(name);
      expect({ version, license, repository, isPrivate }).toEqual({
        version: packageJson.version,
        license: packageJson.license,
        repository: packageJson.repository,
        isPrivate: undefined,
      });
      expect(readFileSync(join(installed(name), 'README.md'), 'utf8').split('\n')[0]).toBe(`# ${name}`);
    },
  );

  it('depend on exact versions of what they need at run time only', () => {
    const { node: _, ...needed } = packageJson.dependencies;
    expect(manifestOf('pay-checkout-server').dependencies).toEqual(needed);
    const versions = Object.values<string>(manifestOf('pay-checkout').dependencies);
    expect(versions.filter(version => !/^\d+\.\d+\.\d+/.test(version))).toEqual([]);
  });
});
