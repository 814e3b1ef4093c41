import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright';

/** Arguments with which Chromium runs as root in a container and sends no background requests. */
export const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[
    // Each window loads these pages of the address bar, which take half of the CPU time of a full Chromium.
    ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
    // This switch replaces Playwright's own list of disabled features, so the list is repeated here.
    ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
    ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding', 'OptimizationHints'],
    ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'NetworkTimeServiceQuerying'],
    ...['AimEnabled', 'PreconnectToSearch'],
  ].join()}`,
];

/** Debian's headless shell, which uses a third of the CPU time of a full Chromium. */
const headlessShell = '/usr/bin/chromium-headless-shell';

/**
 * Path of a Chromium: `CHROME_PATH`, Debian's headless shell, Playwright's browser, or Debian's Chromium; null: none.
 */
export function findBrowser(): string | null {
  const candidates = [process.env['CHROME_PATH'], headlessShell, chromium.executablePath(), '/usr/bin/chromium'];
  return candidates.find(path => path !== undefined && path !== '' && existsSync(path)) ?? null;
}

/** Like `findBrowser`, but installs a browser if there is none. */
export function ensureBrowser(): string | null {
  const found = findBrowser();
  if (found !== null) return found;
  const installs: [string, string[]][] = [
    ['apt-get', ['update', '-qq']],
    ['apt-get', ['install', '-y', '-qq', 'chromium-headless-shell']],
    ['npx', ['playwright', 'install', '--with-deps', 'chromium']],
    ['apt-get', ['install', '-y', '-qq', 'chromium']],
  ];
  for (const [command, args] of installs) {
    console.log(`no browser found; running ${command} ${args.join(' ')}`);
    spawnSync(command, args, {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 240_000,
    });
    const installed = findBrowser();
    if (installed !== null) return installed;
  }
  return null;
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of this worker, for all its test files. It ends with the worker, but tests must close their contexts and
 * pages.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= chromium.launch({ executablePath: ensureBrowser() ?? undefined, args: browserArgs } as object);
  return shared;
}
