import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The published packages, installed from the npm registry as a user installs them. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/packages/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 180_000,
    reporters: [['default', { summary: false }]],
  },
});
