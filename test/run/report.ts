/**
 * What a suite reports, and what becomes of it when its failures are run again. Every suite reports in this shape,
 * whichever program runs it (`runner-reports.ts`).
 */

export interface TestResult {
  /** The test's file, from the root of the repository. */
  readonly file: string;
  readonly name: string;
  /** `unrun`: an earlier failure of its file kept it from running. It counts as skipped. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'unrun';
  readonly line?: number;
}

/** A failure outside of a test: an uncaught error, a file that cannot be loaded. */
export interface Fault {
  /** Null: the file is unknown. */
  readonly file: string | null;
  readonly message: string;
}

export interface Report {
  readonly tests: readonly TestResult[];
  readonly faults: readonly Fault[];
}

/** What is run again at once: a whole suite (`file` is null), a file (`tests` is null), or tests of a file. */
export interface Part {
  readonly file: string | null;
  readonly tests: readonly TestResult[] | null;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const isFailed = ({ status }: TestResult) => status === 'failed';
const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

export function countsOf({ tests, faults }: Report): Counts {
  const count = (...of: TestResult['status'][]) => tests.filter(({ status }) => of.includes(status)).length;
  return { passed: count('passed'), failed: count('failed') + faults.length, skipped: count('skipped', 'unrun') };
}

/** The names of the failures, each once. */
export function failuresOf({ tests, faults }: Report): string[] {
  const named = [
    ...tests.filter(isFailed).map(({ file, name }) => `${file}: ${name}`),
    ...faults.map(({ file, message }) => `${file === null ? '' : `${file}: `}${firstLine(message)}`),
  ];
  return [...new Set(named)];
}

/** The parts to run again, each alone, so that every failure gets a second chance and no part runs twice. */
export function partsToRunAgain({ tests, faults }: Report): Part[] {
  if (faults.some(({ file }) => file === null)) return [{ file: null, tests: null }];
  const failed = tests.filter(isFailed);
  const whole = new Set([...faults, ...tests.filter(({ status }) => status === 'unrun')].map(({ file }) => file));
  const files = new Set([...faults, ...failed].map(({ file }) => file));
  return [...files].map(file => ({
    file,
    tests: whole.has(file) ? null : failed.filter(test => test.file === file),
  }));
}

/**
 * The report of the suite after a part ran again. The second result of each test counts. A failed test that did not run
 * again stays a failure.
 */
export function merged(first: Report, { file, tests }: Part, second: Report): Report {
  if (file === null) return second;
  const failed = new Set(first.tests.filter(isFailed).map(keyOf));
  const asked = tests === null ? null : new Set(tests.map(keyOf));
  const again = second.tests.filter(test =>
    asked === null ? didRun(test) || !failed.has(keyOf(test)) : didRun(test) && asked.has(keyOf(test)),
  );
  const replaced = new Set(again.map(keyOf));
  return {
    tests: [...first.tests.filter(test => !replaced.has(keyOf(test))), ...again],
    faults: [...first.faults.filter(fault => asked !== null || fault.file !== file), ...second.faults],
  };
}

/** The failures of the first report that did not happen again. */
export function flakyOf(first: Report, last: Report): string[] {
  const failed = new Set(last.tests.filter(isFailed).map(keyOf));
  const faulty = new Set(last.faults.map(({ file }) => file));
  return failuresOf({
    tests: first.tests.filter(test => !failed.has(keyOf(test))),
    faults: first.faults.filter(({ file }) => !faulty.has(file)),
  });
}

const keyOf = ({ file, name }: TestResult) => JSON.stringify([file, name]);
const didRun = ({ status }: TestResult) => status === 'passed' || status === 'failed';
