import { join } from 'node:path';
import type { Part, Report, TestResult } from './report.ts';
import { readPlaywright, readReport, reportVariable } from './runner-reports.ts';

type Env = Readonly<Record<string, string>>;

/** A check without tests. It is not run again. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

/** Tests of one program. */
export interface Suite extends Check {
  readonly env?: Env;
  /** The variable that names the file of the report, and the reader of that file. */
  readonly reportVariable: string;
  readonly read: (file: string) => Report;
  readonly needsBrowser?: boolean;
  /** The command that runs a part of the suite, and nothing beside it. */
  readonly commandOf: (part: Part) => readonly string[];
}

const node = (...args: string[]) => [process.execPath, ...args];
const bin = (name: string, ...args: string[]) => node(join('node_modules', '.bin', name), ...args);

function vitestSuite(name: string, config: string, { filter = [] as string[], env = {} as Env } = {}): Suite {
  const command = bin('vitest', 'run', '--config', config);
  return {
    name,
    env,
    command: [...command, ...filter],
    reportVariable,
    read: readReport,
    // Tests of a file share a database, and some read the rows of earlier tests: the file runs whole.
    commandOf: ({ file }) => [...command, ...(file === null ? filter : [file])],
  };
}

function playwrightSuite(name: string, config: string, env: Env = {}): Suite {
  const command = bin('playwright', 'test', '--config', config);
  return {
    name,
    env,
    command,
    reportVariable: 'PLAYWRIGHT_JSON_OUTPUT_NAME',
    read: readPlaywright,
    needsBrowser: true,
    commandOf: ({ file, tests }) => [
      ...command,
      ...(file === null ? [] : tests === null ? [file] : linesOf(file, tests)),
      ...['--workers', '1'],
    ],
  };
}

const linesOf = (file: string, tests: readonly TestResult[]) => [
  ...new Set(tests.map(({ line }) => (line === undefined ? file : `${file}:${line}`))),
];

/** Web Test Runner runs whole files. */
function elementSuite(): Suite {
  const command = bin('wtr', '--config', 'web-test-runner.config.ts');
  return {
    name: 'element',
    command,
    reportVariable,
    read: readReport,
    needsBrowser: true,
    commandOf: ({ file }) => (file === null ? command : [...command, '--files', file]),
  };
}

export const checks: readonly Check[] = [
  { name: 'lint', command: [join('node_modules', '.bin', 'biome'), 'check', '.'] },
  { name: 'types', command: bin('tsc', '--noEmit') },
  { name: 'dead code', command: bin('knip') },
];

export const build: Check = { name: 'build', command: node('src/build/build.ts') };

/** Suites that run in turn. Lanes run side by side, because most tests wait for ledgers, pages and processes. */
export type Lane = readonly Suite[];

export const serverLane: Lane = [vitestSuite('unit and server', 'vitest.config.ts')];
export const browserLane: Lane = [elementSuite(), playwrightSuite('journeys', 'test/e2e/playwright.config.ts')];

/** The suites that only `--verify` runs. They pay in two apps of `demo/frameworks`; `npm run test:frameworks` in all. */
export const verifyLane: Lane = [
  vitestSuite('packages', 'test/packages/vitest.config.ts', { filter: ['packages.test'] }),
  playwrightSuite('frameworks', 'test/frameworks/playwright.config.ts', { FRAMEWORKS: 'react,vue' }),
  vitestSuite('torture', 'test/torture/vitest.config.ts', { env: { TORTURE_SECONDS: '60' } }),
];
