import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from './support/browser.ts';

/**
 * Runs every suite and adds up their counts. `--verify` adds lint, types and dead code, each counted as one, and a minute
 * of the long oracles (test/torture). The last line is `N passed, N failed, N skipped`; the exit code is 0 only when
 * nothing failed.
 */

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Suite {
  readonly name: string;
  readonly command: readonly string[];
  /** Reads the counts that a run wrote to its report; a suite without one counts as a single check. */
  readonly count?: () => Counts;
  readonly needsBrowser?: boolean;
}

const reports = mkdtempSync(join(tmpdir(), 'pay-checkout-reports-'));
const node = (...args: string[]) => [process.execPath, ...args];
const bin = (name: string, ...args: string[]) => node(join('node_modules', '.bin', name), ...args);

const checks: readonly Suite[] = [
  { name: 'lint', command: [join('node_modules', '.bin', 'biome'), 'check', '.'] },
  { name: 'types', command: bin('tsc', '--noEmit') },
  { name: 'dead code', command: bin('knip') },
];

const suites: readonly Suite[] = [
  { name: 'build', command: node('src/build/build.ts') },
  {
    name: 'unit and server',
    command: bin(
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${join(reports, 'vitest.json')}`,
    ),
    count: () => vitestCounts('vitest.json'),
  },
  {
    name: 'element',
    command: bin('wtr', '--config', 'web-test-runner.config.ts'),
    count: elementCounts,
    needsBrowser: true,
  },
  {
    name: 'journeys',
    command: bin('playwright', 'test', '-c', 'test/e2e/playwright.config.ts'),
    count: journeyCounts,
    needsBrowser: true,
  },
];

const torture: Suite = {
  name: 'torture',
  command: node('test/torture/run.ts', '--seconds', '60', '--report', join(reports, 'torture.json')),
  count: () => vitestCounts('torture.json'),
};

function read(report: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(reports, report), 'utf8')) as Record<string, unknown>;
}

function vitestCounts(report: string): Counts {
  const json = read(report) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
  };
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
  };
}

function elementCounts(): Counts {
  return read('element.json') as unknown as Counts;
}

function journeyCounts(): Counts {
  const { stats } = read('journeys.json') as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
}

function runSuite(suite: Suite, browser: string | null): Counts {
  if (suite.needsBrowser === true && browser === null) {
    console.log(`\n── ${suite.name}: skipped, there is no browser and none could be installed`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  console.log(`\n── ${suite.name}`);
  const [command = '', ...args] = suite.command;
  const env = {
    ...process.env,
    ...(browser === null ? {} : { CHROME_PATH: browser }),
    ELEMENT_REPORT: join(reports, 'element.json'),
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, 'journeys.json'),
  };
  const started = performance.now();
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env });
  if (error) console.error(`${command} could not be started: ${error.message}`);
  console.log(`── ${suite.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const counts = countsOf(suite);
  // A suite that failed without a failed test (it could not start, a worker died) is a failure all the same.
  return status === 0 || counts.failed > 0 ? counts : { ...counts, failed: counts.failed + 1 };
}

function countsOf(suite: Suite): Counts {
  if (suite.count === undefined) return { passed: 1, failed: 0, skipped: 0 };
  try {
    return suite.count();
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const wanted = process.argv.includes('--verify') ? [...checks, ...suites, torture] : suites;
const browser = ensureBrowser();
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const suite of wanted) {
  const counts = runSuite(suite, browser);
  if (suite.count === undefined && counts.failed > 0) counts.passed = 0;
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
rmSync(reports, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
