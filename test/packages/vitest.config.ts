import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { vitestReport } from '../run/runner-reports.ts';

/** The published packages and the image's files, installed from the npm registry as a user installs them. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/packages/*.test.ts'],
    globalSetup: ['test/support/vitest-global.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    reporters: [['default', { summary: false }], vitestReport()],
  },
});
