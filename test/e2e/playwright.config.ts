import { defineConfig } from 'playwright/test';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { build } from '../support/built.ts';

// Workers read this file as well.
if (process.env['TEST_WORKER_INDEX'] === undefined) build();

const executablePath = findBrowser();

/** Journeys of payers and merchants in a real browser, against the built bundle and a real server. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.e2e.ts',
  outputDir: '../../test-results/journeys',
  // These bounds end what hangs. The unit tests run at the same time, so that a machine may be slow.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  workers: 2,
  reporter: [['list'], ['json']],
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    launchOptions: { args: browserArgs, ...(executablePath === null ? {} : { executablePath }) },
  },
});
