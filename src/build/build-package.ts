/**
 * Builds the npm package `pay-checkout` into `dist/npm`: modules, types and package.json. The modules are not bundled,
 * so that the shop's bundler can use the shop's own copy of Lit.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { elementManifest } from './element-manifest.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

export const packageDir = join(root, 'dist/npm');

/** Packages that the built files import. `typebox` is imported for types only. */
const dependencies = ['@stellar/freighter-api', 'lit', 'qrcode', 'standardwebhooks', 'typebox'];

/** Compiles and writes the package. Throws an Error with the compiler's output when a type is wrong. */
export async function buildPackage(): Promise<void> {
  await rm(packageDir, { recursive: true, force: true });
  await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'src/build/tsconfig.package.json'],
    {
      cwd: root,
    },
  ).catch((error: { stdout: string }) => Promise.reject(new Error(error.stdout)));
  const files = { 'package.json': await manifest(), 'custom-elements.json': await elementManifest() };
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(packageDir, file), `${JSON.stringify(content, null, 2)}\n`);
  }
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) {
    if (existsSync(join(root, file))) await copyFile(join(root, file), join(packageDir, file));
  }
}

async function manifest(): Promise<object> {
  const whole = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { name, version, description, keywords, license, type, engines } = whole;
  const versions = { ...whole.dependencies, ...whole.devDependencies };
  return {
    ...{ name, version, description, keywords, license, type, engines },
    // The repository's package.json names the same files below `dist/npm`.
    exports: JSON.parse(JSON.stringify(whole.exports).replaceAll('./dist/npm/', './')),
    customElements: 'custom-elements.json',
    // A bundler may drop unused files, except the file that defines the elements.
    sideEffects: ['./element/define.js'],
    dependencies: Object.fromEntries(dependencies.map(dependency => [dependency, versions[dependency]])),
  };
}

if (import.meta.main) {
  await buildPackage();
  console.log(`package built in ${packageDir}`);
}
