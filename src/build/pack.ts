/** Builds both npm packages, and puts their tarballs into `dist/packages`. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage, packageDir } from './build-package.ts';
import { buildServerPackage, serverPackageDir } from './build-server-package.ts';
import { root } from './package-manifest.ts';

const run = promisify(execFile);
const tarballDir = join(root, 'dist/packages');

await rm(tarballDir, { recursive: true, force: true });
await mkdir(tarballDir, { recursive: true });
await Promise.all([buildPackage(), buildServerPackage()]);
for (const folder of [packageDir, serverPackageDir]) {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', tarballDir], { cwd: folder });
  console.log(`packed ${join('dist/packages', stdout.trim())}`);
}
