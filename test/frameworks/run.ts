import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBrowser } from '../support/browser.ts';
import { apps } from './apps.ts';

/**
 * Builds the apps in `demo/frameworks` and pays in them: all, or those named. `npm run test:frameworks -- react vue`.
 * Needs the npm registry for the apps' own packages.
 */

const names = process.argv.slice(2);
const unknown = names.filter(name => !Object.hasOwn(apps, name));
if (unknown.length > 0) {
  console.error(`There is no app ${unknown.join(', ')} in demo/frameworks. There are ${Object.keys(apps).join(', ')}.`);
  process.exit(2);
}
const browser = ensureBrowser();
if (browser === null) {
  console.error('There is no browser, and none could be installed. Set CHROME_PATH to a Chromium.');
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [join('node_modules', '.bin', 'playwright'), 'test', '-c', 'test/frameworks/playwright.config.ts'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CHROME_PATH: browser,
      FRAMEWORKS: names.length > 0 ? names.join() : Object.keys(apps).join(),
    },
  },
);
process.exitCode = status ?? 1;
