import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Report } from './report.ts';
import type { Check, Suite } from './suites.ts';

export interface Place {
  /** Folder of the reports. */
  readonly reports: string;
  /** Path of the browser; null: there is none. */
  readonly browser: string | null;
}

/** Runs a check. Its report has one test, the check. */
export async function runCheck(check: Check): Promise<Report> {
  const { code } = await runCommand(check.name, check.command, {}, true);
  return { tests: [{ file: check.name, name: 'the check', status: code === 0 ? 'passed' : 'failed' }], faults: [] };
}

/** Runs the suite, or a part of it by another command. Prints its output when it ends; with `isShown` while it runs. */
export async function runSuite(
  suite: Suite,
  { reports, browser }: Place,
  { command = suite.command, title = suite.name, isShown = true } = {},
): Promise<Report> {
  if (suite.needsBrowser === true && browser === null) {
    console.log(`\n── ${title}: skipped, there is no browser and none could be installed`);
    return { tests: [{ file: suite.name, name: 'all tests', status: 'skipped' }], faults: [] };
  }
  const file = join(reports, `${suite.name.replaceAll(' ', '-')}.json`);
  rmSync(file, { force: true });
  const env = { ...(browser !== null && { CHROME_PATH: browser }), [suite.reportVariable]: file, ...suite.env };
  const { code } = await runCommand(title, command, env, isShown);
  return withExitCode(suite.name, readOf(suite, file), code);
}

function readOf(suite: Suite, file: string): Report {
  try {
    return suite.read(file);
  } catch {
    return { tests: [], faults: [{ file: null, message: `${suite.name} wrote no report` }] };
  }
}

/** A program that fails without a failed test, such as one that could not start, counts as one failure. */
export function withExitCode(name: string, report: Report, code: number | null): Report {
  const isFailed = report.faults.length > 0 || report.tests.some(({ status }) => status === 'failed');
  if (code === 0 || isFailed) return report;
  return { ...report, faults: [{ file: null, message: `${name} ended with exit code ${code}` }] };
}

async function runCommand(title: string, command: readonly string[], env: Record<string, string>, isShown: boolean) {
  if (isShown) console.log(`\n── ${title}`);
  const started = performance.now();
  const [program = '', ...args] = command;
  const stdio = isShown ? 'inherit' : 'pipe';
  const child = spawn(program, args, { stdio: ['ignore', stdio, stdio], env: { ...process.env, ...env } });
  const texts = [child.stdout, child.stderr].map(stream => (stream === null ? '' : text(stream)));
  const { code, output } = await endOf(child, texts).catch((error: Error) => {
    return { code: null, output: `${program} could not be started: ${error.message}` };
  });
  console.log(
    `${isShown ? '' : `\n── ${title}\n`}${output}\n── ${title}: ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  return { code };
}

async function endOf(child: ReturnType<typeof spawn>, texts: readonly (string | Promise<string>)[]) {
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: (await Promise.all(texts)).join('') };
}
