import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The folder of the files for browsers. */
export const browserDir = join(root, 'dist/browser');

/** Builds the service if a source has changed. Call it before the first test of a run. */
export function build(): void {
  execFileSync(process.execPath, [join(root, 'src/build/build.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
