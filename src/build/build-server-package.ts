/**
 * Builds the npm package `pay-checkout-server` into `dist/npm-server`: the bundled server with its migrations and
 * fonts, the files for browsers, and the documentation.
 */
import { copyFile, cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildBrowser } from './build-browser.ts';
import { buildServer } from './build-server.ts';
import { buildDocs } from './docs/build-docs.ts';
import { previousFiles } from './keep-previous-build.ts';
import { repositoryManifest, root, sharedFields, writeJson } from './package-manifest.ts';

export const serverPackageDir = join(root, 'dist/npm-server');

/** Builds the parts that have changed, and puts the package together. */
export async function buildServerPackage(): Promise<void> {
  await buildBrowser();
  await buildServer();
  await buildDocs();
  await rm(serverPackageDir, { recursive: true, force: true });
  await mkdir(serverPackageDir, { recursive: true });
  const browserDir = join(root, 'dist/browser');
  const older = [...(await previousFiles(browserDir)), '.vite/previous-build.json'];
  const leftOut = new Set(older.map(file => join(browserDir, file)));
  for (const folder of ['dist/browser', 'dist/server', 'dist/docs']) {
    const filter = (file: string) => !leftOut.has(file);
    await cp(join(root, folder), join(serverPackageDir, folder), { recursive: true, filter });
  }
  await writeJson(join(serverPackageDir, 'package.json'), await manifest());
  await copyFile(join(root, 'docs/packages/pay-checkout-server.md'), join(serverPackageDir, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(serverPackageDir, 'LICENSE'));
}

async function manifest(): Promise<object> {
  const repository = await repositoryManifest();
  // The repository has Node as a dependency. A published server runs with the Node that starts it.
  const { node: _, ...dependencies } = repository.dependencies;
  return {
    name: 'pay-checkout-server',
    description:
      'Payment service: card, bank, crypto and mobile money payments, settled on Stellar, on your own server.',
    ...sharedFields(repository),
    engines: { node: '>=22.13' },
    bin: repository.bin,
    files: ['dist'],
    dependencies,
  };
}
