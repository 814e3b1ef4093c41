/**
 * Builds the npm package `pay-checkout` into `dist/npm`: modules, types and package.json. The modules are not bundled,
 * so that the shop's bundler can use the shop's own copy of Lit.
 */
import { execFile } from 'node:child_process';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { elementManifest } from './element-manifest.ts';
import { repositoryManifest, root, sharedFields, writeJson } from './package-manifest.ts';

const run = promisify(execFile);

export const packageDir = join(root, 'dist/npm');

/** Packages that the built files import. Of `typebox` they import types only. */
const dependencies = ['@stellar/freighter-api', 'lit', 'qrcode', 'standardwebhooks', 'typebox'];

/** Compiles and writes the package. For a wrong type, throws an Error with the compiler's output. */
export async function buildPackage(): Promise<void> {
  await rm(packageDir, { recursive: true, force: true });
  await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'src/build/tsconfig.package.json'],
    {
      cwd: root,
    },
  ).catch((error: { stdout: string }) => Promise.reject(new Error(error.stdout)));
  await copyTagTypes();
  await writeJson(join(packageDir, 'package.json'), await manifest());
  await writeJson(join(packageDir, 'custom-elements.json'), await elementManifest());
  await copyFile(join(root, 'docs/packages/pay-checkout.md'), join(packageDir, 'README.md'));
  for (const file of ['CHANGELOG.md', 'LICENSE']) await copyFile(join(root, file), join(packageDir, file));
}

/** Copies the types of the tag for templates. TypeScript does not copy `.d.ts` files. */
async function copyTagTypes(): Promise<void> {
  const folder = 'frameworks';
  const files = (await readdir(join(root, 'src', folder))).filter(file => file.endsWith('.d.ts'));
  for (const file of files) await copyFile(join(root, 'src', folder, file), join(packageDir, folder, file));
}

async function manifest(): Promise<object> {
  const whole = await repositoryManifest();
  const { name, description, engines, peerDependencies, peerDependenciesMeta } = whole;
  const versions = { ...whole.dependencies, ...whole.devDependencies };
  return {
    name,
    description,
    ...sharedFields(whole),
    engines,
    // The repository's package.json has the same files, with paths below `dist/npm`.
    exports: JSON.parse(JSON.stringify(whole.exports).replaceAll('./dist/npm/', './')),
    customElements: 'custom-elements.json',
    // A bundler may drop unused files, except the file that defines the elements.
    sideEffects: ['./element/define.js'],
    dependencies: Object.fromEntries(dependencies.map(dependency => [dependency, versions[dependency]])),
    peerDependencies,
    peerDependenciesMeta,
  };
}
