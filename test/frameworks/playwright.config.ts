import { defineConfig } from 'playwright/test';
import { buildPackage } from '../../src/build/build-package.ts';
import journeys from '../e2e/playwright.config.ts';
import { apps } from './apps.ts';

// Workers read this file as well.
if (process.env['TEST_WORKER_INDEX'] === undefined) await buildPackage();

const names = process.env['FRAMEWORKS']?.split(',') ?? Object.keys(apps);

/** Payments in the apps of `demo/frameworks`. Each app is a project, so that two are built and paid in at a time. */
export default defineConfig({
  ...journeys,
  testDir: '.',
  // Without a file's name the JSON report would be printed.
  reporter: [['list'], ...(process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ? [['json'] as const] : [])],
  outputDir: '../../test-results/frameworks',
  projects: names.map(name => ({ name, grep: new RegExp(`\\b${name}:`) })),
});
