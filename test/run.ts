import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsOf, failuresOf, flakyOf, merged, partsToRunAgain, type Report } from './run/report.ts';
import { runCheck, runSuite } from './run/run-suite.ts';
import { browserLane, build, type Check, checks, type Lane, type Suite, serverLane, verifyLane } from './run/suites.ts';
import { ensureBrowser } from './support/browser.ts';
import { testSeed } from './support/seed.ts';

/**
 * Runs every suite and adds up their counts. `--verify` adds lint, types and dead code, each counted as one check, the
 * installed packages (test/packages), payments in React and Vue (test/frameworks), and a minute of the long tests
 * (test/torture).
 *
 * The file of a failed test runs once more, alone, after all others. If the test passes, it counts as passed, and the run
 * names it in a line `flaky: …`. The names of flaky and failed tests come last but one, because a long log may be cut. The last line
 * is `N passed, N failed, N skipped`; the exit code is 0 only without failures.
 */

/** So many parts do not fail by chance: nothing is run again then. */
const mostParts = 20;

const place = { reports: mkdtempSync(join(tmpdir(), 'pay-checkout-reports-')), browser: ensureBrowser() };
const isVerified = process.argv.includes('--verify');
process.env['TEST_SEED'] = testSeed();
console.log(`TEST_SEED=${process.env['TEST_SEED']} repeats the random values of this run.`);

const reports: Report[] = [];
const suites = new Map<Suite, Report>();

async function runChecks(list: readonly Check[]): Promise<void> {
  for (const check of list) reports.push(await runCheck(check));
}

async function runLane(lane: Lane, isShown = true): Promise<void> {
  for (const suite of lane) suites.set(suite, await runSuite(suite, place, { isShown }));
}

/** Runs the failed parts of the suites again, one after the other. Returns the names of the failures that passed. */
async function runFailuresAgain(): Promise<string[]> {
  const parts = [...suites].flatMap(([suite, report]) => partsToRunAgain(report).map(part => ({ suite, part })));
  if (parts.length > mostParts) {
    console.log(`\n${parts.length} files failed: nothing is run again.`);
    return [];
  }
  const firsts = new Map(suites);
  for (const { suite, part } of parts) {
    const title = ['again', suite.name, ...(part.file === null ? [] : [part.file])].join(', ');
    const again = await runSuite(suite, place, { command: suite.commandOf(part), title });
    suites.set(suite, merged(suites.get(suite)!, part, again));
  }
  return [...suites].flatMap(([suite, last]) => flakyOf(firsts.get(suite)!, last));
}

await runChecks(isVerified ? [...checks, build] : [build]);
await Promise.all([runLane(serverLane), runLane(browserLane, false)]);
if (isVerified) await runLane(verifyLane);
const flaky = await runFailuresAgain();
rmSync(place.reports, { recursive: true, force: true });
reports.push(...suites.values());
const all: Report = { tests: reports.flatMap(({ tests }) => tests), faults: reports.flatMap(({ faults }) => faults) };
const { passed, failed, skipped } = countsOf(all);
for (const name of failuresOf(all)) console.log(`\nfailed: ${name}`);
for (const name of flaky) console.log(`\nflaky: ${name}`);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
