import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { vitestReport } from '../run/runner-reports.ts';
import { testSeed } from '../support/seed.ts';

/** The long tests, and the property tests of the suite with more runs. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/torture/*.torture.ts',
      'test/core/invoice.test.ts',
      'test/server/payments/model.test.ts',
      'test/server/invoices/model.test.ts',
    ],
    globalSetup: ['test/support/vitest-global.ts'],
    setupFiles: ['test/support/vitest-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Prints the counts without Vitest's prefix.
    disableConsoleIntercept: true,
    env: { TORTURE: '1', TEST_SEED: testSeed() },
    reporters: [['default', { summary: false }], vitestReport()],
  },
});
