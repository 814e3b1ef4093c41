import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';

/** The small shops in `demo/frameworks`: their folders of built files, and their pages by what each one shows. */
export const apps = {
  react: {
    built: 'dist',
    pages: { 'the component': '/', 'the tag': '/tag.html', 'a prerendered tag': '/prerendered.html' },
  },
  vue: { built: 'dist', pages: { '@success': '/', ':onSuccess': '/property.html' } },
  svelte: { built: 'dist', pages: { onSuccess: '/', onsuccess: '/lower-case.html' } },
  solid: { built: 'dist', pages: { onSuccess: '/' } },
  preact: { built: 'dist', pages: { onSuccess: '/' } },
  angular: { built: 'dist', pages: { '(success)': '/' } },
  next: { built: 'out', pages: { 'the component': '/', 'the tag': '/tag/' } },
} as const satisfies Record<string, App>;

interface App {
  readonly built: string;
  readonly pages: Readonly<Record<string, string>>;
}

export type AppName = keyof typeof apps;

const root = join(import.meta.dirname, '../..');
const packageDir = join(root, 'dist/npm');

/** What a shop's build knows of the service. */
export interface ServiceForShop {
  readonly url: string;
  readonly publishableKey: string;
}

const folderOf = (name: AppName) => join(root, 'demo/frameworks', name);

/** Installs the app's own packages and the built `pay-checkout`. Returns false where no registry can be reached. */
export async function installApp(name: AppName): Promise<boolean> {
  try {
    await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], folderOf(name));
  } catch (error) {
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test((error as Error).message)) return false;
    throw error;
  }
  const installed = join(folderOf(name), 'node_modules/pay-checkout');
  await rm(installed, { recursive: true, force: true });
  await cp(packageDir, installed, { recursive: true });
  return true;
}

/** Builds the app as its shop does, and checks its types. Throws with the output of a failure. */
export async function buildApp(name: AppName, service: ServiceForShop): Promise<void> {
  const folder = folderOf(name);
  await run('npm', ['run', 'build'], folder, { PAY_URL: service.url, PAY_KEY: service.publishableKey });
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder], root);
}

async function run(command: string, args: readonly string[], cwd: string, settings: Record<string, string> = {}) {
  // Vite and Next pass only settings with their prefix to a page.
  const named = Object.entries(settings).flatMap(([name, value]) =>
    ['VITE_', 'NEXT_PUBLIC_', ''].map(prefix => [`${prefix}${name}`, value]),
  );
  const env = { ...process.env, NODE_ENV: undefined, ...Object.fromEntries(named) };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${code}:\n${(await output).join('')}`);
}

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Serves the built app, as any static host does. */
export async function serveApp(name: AppName): Promise<{ readonly url: string; readonly server: Server }> {
  const folder = join(folderOf(name), apps[name].built);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop.example');
    const file = join(folder, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    const body = await readFile(file).catch(() => null);
    if (body === null) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
