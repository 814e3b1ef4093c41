import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureBrowser } from './support/browser.ts';

/**
 * Runs every suite and adds up their counts. `--verify` adds lint, types and dead code, each counted as one check, the
 * installed packages (test/packages), payments in React and Vue (test/frameworks), and a minute of the long tests
 * (test/torture). The names of the failures come last but one, because a long log may be cut. The last line is
 * `N passed, N failed, N skipped`; the exit code is 0 only without failures.
 */

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The names of the tests that failed. */
  failures: string[];
}

interface Suite {
  readonly name: string;
  readonly command: readonly string[];
  /** Reads the counts that a run wrote to its report; a suite without one counts as a single check. */
  readonly count?: () => Counts;
  readonly needsBrowser?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const reports = mkdtempSync(join(tmpdir(), 'pay-checkout-reports-'));
const node = (...args: string[]) => [process.execPath, ...args];
const bin = (name: string, ...args: string[]) => node(join('node_modules', '.bin', name), ...args);

const checks: readonly Suite[] = [
  { name: 'lint', command: [join('node_modules', '.bin', 'biome'), 'check', '.'] },
  { name: 'types', command: bin('tsc', '--noEmit') },
  { name: 'dead code', command: bin('knip') },
];

const build: Suite = { name: 'build', command: node('src/build/build.ts') };

/** Suites that run in turn. Lanes run side by side, because most tests wait for ledgers, pages and processes. */
type Lane = readonly Suite[];

function vitestSuite(name: string, report: string, ...options: readonly string[]): Suite {
  const output = `--outputFile.json=${join(reports, report)}`;
  return {
    name,
    command: bin('vitest', 'run', '--reporter=default', '--reporter=json', output, ...options),
    count: () => vitestCounts(report),
  };
}

function playwrightSuite(name: string, command: readonly string[]): Suite {
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, `${name}.json`) };
  return { name, command, env, count: () => playwrightCounts(`${name}.json`), needsBrowser: true };
}

const serverLane: Lane = [vitestSuite('unit and server', 'vitest.json')];

const browserLane: Lane = [
  {
    name: 'element',
    command: bin('wtr', '--config', 'web-test-runner.config.ts'),
    count: elementCounts,
    needsBrowser: true,
  },
  playwrightSuite('journeys', bin('playwright', 'test', '-c', 'test/e2e/playwright.config.ts')),
];

/** A commit is checked with the same random numbers everywhere; without a repository they differ in each run. */
function seedOfCommit(): string[] {
  const commit = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).stdout?.trim();
  return commit ? ['--seed', String(Number.parseInt(commit, 16))] : [];
}

/** Two of the apps in `demo/frameworks`. `npm run test:frameworks` pays in all of them. */
const frameworks = playwrightSuite('frameworks', node('test/frameworks/run.ts', 'react', 'vue'));

const torture: Suite = {
  name: 'torture',
  command: node('test/torture/run.ts', '--seconds', '60', '--report', join(reports, 'torture.json'), ...seedOfCommit()),
  count: () => vitestCounts('torture.json'),
};

const packages = vitestSuite(
  'packages',
  'packages.json',
  '--config',
  'test/packages/vitest.config.ts',
  'packages.test',
);

function read(report: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(reports, report), 'utf8')) as Record<string, unknown>;
}

function vitestCounts(report: string): Counts {
  const json = read(report) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
    testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
  };
  const failures = json.testResults.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter(test => test.status === 'failed').map(test => test.fullName);
    // A file that fails before its first test has no failed test.
    const names = tests.length === 0 && status === 'failed' ? ['(the file)'] : tests;
    return names.map(test => `${relative(process.cwd(), name)}: ${test}`);
  });
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
    failures,
  };
}

function elementCounts(): Counts {
  return read('element.json') as unknown as Counts;
}

interface PlaywrightSuite {
  title: string;
  suites?: PlaywrightSuite[];
  specs: { title: string; ok: boolean }[];
}

function playwrightCounts(report: string): Counts {
  const { stats, suites } = read(report) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
    suites: PlaywrightSuite[];
  };
  const failuresOf = (suite: PlaywrightSuite): string[] =>
    [...suite.specs.filter(spec => !spec.ok).map(spec => spec.title), ...(suite.suites ?? []).flatMap(failuresOf)].map(
      name => `${suite.title}: ${name}`,
    );
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: suites.flatMap(failuresOf),
  };
}

/** Prints the output of the suite when it ends; with `isShown` while it runs. */
async function runSuite(suite: Suite, isShown: boolean): Promise<Counts> {
  if (suite.needsBrowser === true && browser === null) {
    console.log(`\n── ${suite.name}: skipped, there is no browser and none could be installed`);
    return { passed: 0, failed: 0, skipped: 1, failures: [] };
  }
  if (isShown) console.log(`\n── ${suite.name}`);
  const started = performance.now();
  const { output, code } = await runCommand(suite, isShown);
  if (!isShown) console.log(`\n── ${suite.name}\n${output}`);
  console.log(`── ${suite.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const counts = countsOf(suite);
  if (code === 0 || counts.failed > 0) return counts;
  // A suite can fail without a failed test, when it cannot start or a worker crashes. Count one failure then.
  return { ...counts, passed: suite.count === undefined ? 0 : counts.passed, failed: 1, failures: [suite.name] };
}

async function runCommand(suite: Suite, isShown: boolean) {
  const [command = '', ...args] = suite.command;
  const env = {
    ...process.env,
    ...(browser === null ? {} : { CHROME_PATH: browser }),
    ELEMENT_REPORT: join(reports, 'element.json'),
    ...suite.env,
  };
  const stdio = isShown ? 'inherit' : 'pipe';
  const child = spawn(command, args, { stdio: ['ignore', stdio, stdio], env });
  const texts = [child.stdout, child.stderr].map(stream => (stream === null ? '' : text(stream)));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { output: (await Promise.all(texts)).join(''), code };
  } catch (error) {
    const output = `${command} could not be started: ${(error as Error).message}`;
    if (isShown) console.error(output);
    return { output, code: null };
  }
}

function countsOf(suite: Suite): Counts {
  if (suite.count === undefined) return { passed: 1, failed: 0, skipped: 0, failures: [] };
  try {
    return suite.count();
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`${suite.name} wrote no report`] };
  }
}

async function runLane(lane: Lane, isShown = true): Promise<void> {
  for (const suite of lane) {
    const counts = await runSuite(suite, isShown);
    for (const name of ['passed', 'failed', 'skipped'] as const) total[name] += counts[name];
    total.failures.push(...counts.failures);
  }
}

const isVerified = process.argv.includes('--verify');
const browser = ensureBrowser();
const total: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
await runLane(isVerified ? [...checks, build] : [build]);
await Promise.all([runLane(serverLane), runLane(browserLane, false)]);
if (isVerified) await runLane([packages, frameworks, torture]);
rmSync(reports, { recursive: true, force: true });
for (const name of total.failures) console.log(`\nfailed: ${name}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
