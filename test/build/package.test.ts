import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage, packageDir } from '../../src/build/build-package.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const dependencies = ['@stellar/freighter-api', 'lit', 'qrcode', 'standardwebhooks', 'typebox'];

/** Frameworks whose types the entries `pay-checkout/types/…` add to. */
const templates = ['preact', 'solid-js', 'svelte/elements', 'vue'];

let shop: string;
beforeAll(async () => {
  await buildPackage();
  // The package is copied, as by `npm install pay-checkout`, so that no module resolves in the repository.
  shop = await mkdtemp(join(tmpdir(), 'pay-checkout-shop-'));
  const modules = join(shop, 'node_modules');
  for (const scope of ['@types', '@stellar']) await mkdir(join(modules, scope), { recursive: true });
  await cp(packageDir, join(modules, 'pay-checkout'), { recursive: true });
  for (const name of [...dependencies, '@types/node'])
    await symlink(join(root, 'node_modules', name), join(modules, name));
  await writeFile(join(shop, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rm(shop, { recursive: true, force: true }));

/** Runs a module in the shop's folder, in plain Node, and returns its output as JSON. */
async function inShop(code: string): Promise<unknown> {
  await writeFile(join(shop, 'index.js'), code);
  const { stdout } = await run(process.execPath, ['index.js'], { cwd: shop });
  return JSON.parse(stdout);
}

describe('the npm package', () => {
  it.each([
    ['pay-checkout', ['PayCheckout']],
    ['pay-checkout/client', ['createPayClient']],
    ['pay-checkout/proxy', ['createPayProxy']],
    ['pay-checkout/webhooks', ['verifyWebhook']],
  ])('exports from "%s" %j', async (specifier, names) => {
    const exported = await inShop(`import * as all from '${specifier}'; console.log(JSON.stringify(Object.keys(all)))`);
    expect(exported).toEqual(expect.arrayContaining(names));
  });

  it('can be imported without a browser, and defines only the globals that Lit defines', async () => {
    const seen = await inShop(`
      const before = Object.getOwnPropertyNames(globalThis);
      await import('pay-checkout');
      await import('pay-checkout/define');
      const added = Object.getOwnPropertyNames(globalThis).filter(name => !before.includes(name));
      console.log(JSON.stringify(added.filter(name => !/^(lit|reactive|customElements)/.test(name))));
    `);
    expect(seen).toEqual([]);
  });

  it('imports only its declared dependencies', async () => {
    const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies)).toEqual(dependencies);
    const files = (await readdir(packageDir, { recursive: true })).filter(file => /\.(js|d\.ts)$/.test(file));
    const texts = await Promise.all(files.map(file => readFile(join(packageDir, file), 'utf8')));
    const found = texts.flatMap(text =>
      [...text.matchAll(/(?:from |import\()["']([^."'][^"']*)["']/g)].map(match => match[1]),
    );
    expect(Object.keys(manifest.peerDependencies)).toEqual(['react']);
    const known = ['node:http', 'react', ...templates];
    expect([...new Set(found)].filter(name => !known.includes(name ?? '')).sort()).toEqual(dependencies);
  });

  it('has the manifest of the element, whose paths are files of the package', async () => {
    const { customElements } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
    const manifest = JSON.parse(await readFile(join(packageDir, customElements), 'utf8'));
    const paths: string[] = manifest.modules.map(({ path }: { path: string }) => path);
    expect(paths).toContain('element/pay-checkout.js');
    expect(paths.filter(path => !existsSync(join(packageDir, path)))).toEqual([]);
  });

  it('has types that compile in a shop with strict settings', async () => {
    await writeFile(
      join(shop, 'shop.ts'),
      `import { PayCheckout } from 'pay-checkout';
       import 'pay-checkout/define';
       import { createPayClient } from 'pay-checkout/client';
       import { createPayProxy } from 'pay-checkout/proxy';
       import { verifyWebhook } from 'pay-checkout/webhooks';
       const element: PayCheckout = document.createElement('pay-checkout');
       element.addEventListener('pay-success', event => { const id: string = event.detail.id; console.log(id); });
       element.onSuccess = payment => { const status: 'pending' | 'completed' | 'failed' | 'refunded' = payment.status; console.log(status); };
       console.log(createPayClient, createPayProxy, verifyWebhook);
       import type { CreatePayment, Invoice, Payment, PaymentLink, Payout, Refund } from 'pay-checkout';
       import type { CreatePayment as A, Invoice as B, PaymentLink as C, Payout as D, Refund as E } from 'pay-checkout/client';
       import type { CreatePayment as F } from 'pay-checkout/proxy';
       import type { Refund as G } from 'pay-checkout/webhooks';
       const same: [CreatePayment, Invoice, PaymentLink, Payout, Refund] extends [A & F, B, C, D, E & G] ? true : false = true;
       import type { IncomingMessage, ServerResponse } from 'node:http';
       type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
       const proxy = createPayProxy({ baseUrl: 'https://pay.example', secretKey: process.env.PAY_SECRET_KEY, authorize: () => true });
       const handlers: [Handler, (request: Request) => Promise<Response>] = [proxy, proxy];
       const ofPayment = ({ id }: Payment) => id;
       console.log(same, handlers, ofPayment);
       // @ts-expect-error a payment has no such field: the types are not "any"
       element.onSuccess = payment => payment.nonsense;`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom,dom.iterable',
      '--types',
      'node',
    ];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, ...options, '--module', 'nodenext', 'shop.ts'], {
      cwd: shop,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  }, 60_000);

  it('has all files that the exports in the package.json of the repository name', async () => {
    const { exports = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const targets = Object.values(exports as Record<string, string | Record<string, string>>).flatMap(target =>
      typeof target === 'string' ? [target] : Object.values(target),
    );
    expect(targets.filter(target => !existsSync(join(root, target)))).toEqual([]);
  });
});
