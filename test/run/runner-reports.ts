import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter as ElementReporter, TestSession, TestSuiteResult } from '@web/test-runner';
import type { SerializedError } from 'vitest';
import type { TestModule, Reporter as VitestReporter } from 'vitest/node';
import type { Report, TestResult } from './report.ts';

/** The environment variable with the file to which a suite writes its report. Without it, no report is written. */
export const reportVariable = 'SUITE_REPORT';

const fromRoot = (path: string) => relative(process.cwd(), path);

function write(report: Report): void {
  const file = process.env[reportVariable];
  if (file) writeFileSync(file, JSON.stringify(report));
}

/** Vitest's reporter for the run of all suites. */
export function vitestReport(): VitestReporter {
  return { onTestRunEnd: (modules, errors) => write(reportOfModules(modules, errors)) };
}

function reportOfModules(modules: readonly TestModule[], errors: readonly SerializedError[]): Report {
  const tests = modules.flatMap(({ moduleId, children }) =>
    [...children.allTests()].map(test => ({
      file: fromRoot(moduleId),
      name: test.fullName,
      status: statusOf(test.result().state),
    })),
  );
  const broken = modules.flatMap(module =>
    [module, ...module.children.allSuites()]
      .flatMap(each => each.errors())
      .map(({ message }) => ({ file: fromRoot(module.moduleId), message })),
  );
  const unended = modules
    .filter(module => ['queued', 'pending'].includes(module.state()))
    .map(({ moduleId }) => ({ file: fromRoot(moduleId), message: 'its process ended' }));
  const uncaught = errors.map(error => {
    const path = error['VITEST_TEST_PATH'] as string | undefined;
    return { file: path === undefined ? null : fromRoot(path), message: `uncaught ${error.name}: ${error.message}` };
  });
  // The end of a process is an error without a file, but its file did not end.
  return {
    tests,
    faults: [...broken, ...unended, ...uncaught.filter(({ file }) => file !== null || unended.length === 0)],
  };
}

const statusOf = (state: string): TestResult['status'] =>
  state === 'passed' || state === 'failed' ? state : 'skipped';

/** Web Test Runner's reporter for the run of all suites. */
export function elementReport(): ElementReporter {
  return { onTestRunFinished: ({ sessions }) => write(reportOfSessions(sessions)) };
}

type Session = Pick<TestSession, 'testFile' | 'testResults' | 'errors'>;

export function reportOfSessions(sessions: readonly Session[]): Report {
  const testsOf = (file: string, { name, tests, suites }: TestSuiteResult, above: string): TestResult[] => {
    const path = above === '' ? name : `${above} > ${name}`;
    const own = tests.map(test => ({
      file,
      name: path === '' ? test.name : `${path} > ${test.name}`,
      status: test.skipped ? ('skipped' as const) : test.passed ? ('passed' as const) : ('failed' as const),
    }));
    return [...own, ...suites.flatMap(suite => testsOf(file, suite, path))];
  };
  return {
    tests: sessions.flatMap(({ testFile, testResults }) =>
      testResults === undefined ? [] : testsOf(fromRoot(testFile), testResults, ''),
    ),
    faults: sessions.flatMap(({ testFile, errors }) =>
      errors.map(({ message }) => ({ file: fromRoot(testFile), message })),
    ),
  };
}

/** Playwright's JSON, as far as it is read here. */
export interface PlaywrightJson {
  readonly config: { readonly rootDir: string };
  readonly suites: readonly PlaywrightSuite[];
  readonly errors: readonly { readonly message?: string; readonly location?: { readonly file: string } }[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly file: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly line: number;
    readonly tests: readonly {
      readonly projectName: string;
      readonly expectedStatus: string;
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
    }[];
  }[];
}

export function reportOfPlaywright({ config: { rootDir }, suites, errors }: PlaywrightJson): Report {
  const testsOf = (
    { title, file, specs, suites: inner = [] }: PlaywrightSuite,
    above: readonly string[],
  ): TestResult[] => {
    // The outermost suite is the file.
    const path = title === file ? above : [...above, title];
    const own = specs.flatMap(spec =>
      spec.tests.map(({ projectName, expectedStatus, status }) => ({
        file: fromRoot(`${rootDir}/${file}`),
        name: [...(projectName === '' ? [] : [projectName]), ...path, spec.title].join(' > '),
        status: playwrightStatus(status, expectedStatus),
        line: spec.line,
      })),
    );
    return [...own, ...inner.flatMap(suite => testsOf(suite, path))];
  };
  return {
    tests: suites.flatMap(suite => testsOf(suite, [])),
    faults: errors.map(({ message = 'an error', location }) => ({
      file: location === undefined ? null : fromRoot(location.file),
      message,
    })),
  };
}

function playwrightStatus(status: string, expectedStatus: string): TestResult['status'] {
  if (status === 'expected') return 'passed';
  if (status !== 'skipped') return 'failed';
  return expectedStatus === 'skipped' ? 'skipped' : 'unrun';
}

export const readPlaywright = (file: string): Report => reportOfPlaywright(JSON.parse(readFileSync(file, 'utf8')));
export const readReport = (file: string): Report => JSON.parse(readFileSync(file, 'utf8')) as Report;
