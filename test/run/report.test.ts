import { describe, expect, it } from 'vitest';
import { countsOf, failuresOf, flakyOf, merged, partsToRunAgain, type Report, type TestResult } from './report.ts';
import { withExitCode } from './run-suite.ts';
import { reportOfPlaywright, reportOfSessions } from './runner-reports.ts';

/** Tests from lines such as `a.test.ts: adds: failed`. */
const tests = (...lines: string[]): TestResult[] =>
  lines.map(line => {
    const [file = '', name = '', status = ''] = line.split(': ');
    return { file, name, status: status as TestResult['status'] };
  });
const report = (lines: string[], ...faults: Report['faults']): Report => ({ tests: tests(...lines), faults });
const inFile = { file: 'a.test.ts', message: 'uncaught Error: late\nat a line' };
const anywhere = { file: null, message: 'the suite ended with exit code 1' };

describe('a run of the failures', () => {
  it.each<[string, Report, ReturnType<typeof partsToRunAgain>]>([
    ['nothing without a failure', report(['a.test.ts: adds: passed', 'a.test.ts: halves: skipped']), []],
    [
      'the failed tests of each file',
      report(['a.test.ts: adds: failed', 'a.test.ts: halves: passed', 'b.test.ts: ends: failed']),
      [
        { file: 'a.test.ts', tests: tests('a.test.ts: adds: failed') },
        { file: 'b.test.ts', tests: tests('b.test.ts: ends: failed') },
      ],
    ],
    ['a file with a fault', report(['a.test.ts: adds: failed'], inFile), [{ file: 'a.test.ts', tests: null }]],
    [
      'a file in which a failure kept tests from running',
      report(['a.test.ts: adds: failed', 'a.test.ts: ends: unrun']),
      [{ file: 'a.test.ts', tests: null }],
    ],
    [
      'the suite after a fault of no file',
      report(['a.test.ts: adds: failed'], anywhere),
      [{ file: null, tests: null }],
    ],
  ])('takes %s', (_, first, parts) => {
    expect(partsToRunAgain(first)).toEqual(parts);
  });

  it.each<[string, Report, Report, { passed: number; failed: number; skipped: number }, string[], string[]]>([
    [
      'a test that passes then',
      report(['a.test.ts: adds: failed', 'a.test.ts: halves: passed']),
      report(['a.test.ts: adds: passed', 'a.test.ts: halves: skipped']),
      { passed: 2, failed: 0, skipped: 0 },
      [],
      ['a.test.ts: adds'],
    ],
    [
      'a test that fails twice, beside one that passes then',
      report(['a.test.ts: adds: failed', 'a.test.ts: halves: failed']),
      report(['a.test.ts: adds: failed', 'a.test.ts: halves: passed']),
      { passed: 1, failed: 1, skipped: 0 },
      ['a.test.ts: adds'],
      ['a.test.ts: halves'],
    ],
    [
      'a test that does not run again',
      report(['a.test.ts: adds: failed']),
      report([], anywhere),
      { passed: 0, failed: 2, skipped: 0 },
      ['a.test.ts: adds', anywhere.message],
      [],
    ],
    [
      'a file with a fault that does not return',
      report(['a.test.ts: adds: skipped', 'b.test.ts: ends: passed'], inFile),
      report(['a.test.ts: adds: passed', 'a.test.ts: halves: skipped']),
      { passed: 2, failed: 0, skipped: 1 },
      [],
      ['a.test.ts: uncaught Error: late'],
    ],
    [
      'a file with a fault each time, though another one',
      report(['a.test.ts: adds: passed'], inFile),
      report(['a.test.ts: adds: passed'], { ...inFile, message: 'uncaught Error: early' }),
      { passed: 1, failed: 1, skipped: 0 },
      ['a.test.ts: uncaught Error: early'],
      [],
    ],
    [
      'a failed test that a later failure keeps from running',
      report(['a.test.ts: adds: failed', 'a.test.ts: ends: unrun']),
      report(['a.test.ts: adds: unrun', 'a.test.ts: ends: unrun'], inFile),
      { passed: 0, failed: 2, skipped: 1 },
      ['a.test.ts: adds', 'a.test.ts: uncaught Error: late'],
      [],
    ],
    [
      'a suite that could not end, and ends then',
      report(['a.test.ts: adds: passed'], anywhere),
      report(['a.test.ts: adds: passed', 'b.test.ts: ends: passed']),
      { passed: 2, failed: 0, skipped: 0 },
      [],
      [anywhere.message],
    ],
  ])('counts %s', (_, first, second, counts, failed, flaky) => {
    const last = partsToRunAgain(first).reduce((report, part) => merged(report, part, second), first);
    expect(countsOf(last)).toEqual(counts);
    expect(failuresOf(last)).toEqual(failed);
    expect(flakyOf(first, last)).toEqual(flaky);
  });
});

describe('a program that ends with an error', () => {
  const passed = report(['a.test.ts: adds: passed']);
  it.each<[string, Report, number | null, number]>([
    ['is a failure without a failed test', passed, 1, 1],
    ['is a failure when a signal ended it', passed, null, 1],
    ['adds nothing to a failed test', report(['a.test.ts: adds: failed']), 1, 1],
    ['adds nothing to a fault', report([], inFile), 1, 1],
    ['is no failure with exit code 0', passed, 0, 0],
  ])('%s', (_, given, code, failed) => {
    expect(countsOf(withExitCode('the suite', given, code)).failed).toBe(failed);
  });
});

describe('the report of a program', () => {
  it('of Playwright names projects, groups and lines, and tests that did not run', () => {
    const spec = (title: string, line: number, status: 'expected' | 'unexpected' | 'skipped', expected = 'passed') => ({
      title,
      line,
      tests: [{ projectName: 'react', expectedStatus: expected, status }],
    });
    const file = 'pay.e2e.ts';
    const json = {
      config: { rootDir: `${process.cwd()}/test/e2e` },
      errors: [
        { message: 'no tests found' },
        { message: 'no import', location: { file: `${process.cwd()}/test/x.ts` } },
      ],
      suites: [
        {
          title: file,
          file,
          specs: [spec('opens', 3, 'expected'), spec('is left out', 4, 'skipped', 'skipped')],
          suites: [{ title: 'a payer', file, specs: [spec('pays', 7, 'unexpected'), spec('leaves', 9, 'skipped')] }],
        },
      ],
    };
    expect(reportOfPlaywright(json)).toEqual({
      tests: [
        { file: 'test/e2e/pay.e2e.ts', name: 'react > opens', status: 'passed', line: 3 },
        { file: 'test/e2e/pay.e2e.ts', name: 'react > is left out', status: 'skipped', line: 4 },
        { file: 'test/e2e/pay.e2e.ts', name: 'react > a payer > pays', status: 'failed', line: 7 },
        { file: 'test/e2e/pay.e2e.ts', name: 'react > a payer > leaves', status: 'unrun', line: 9 },
      ],
      faults: [
        { file: null, message: 'no tests found' },
        { file: 'test/x.ts', message: 'no import' },
      ],
    });
  });

  it('of Web Test Runner names groups, and files with errors', () => {
    const test = (name: string, passed: boolean, skipped = false) => ({ name, passed, skipped });
    const inner = { name: 'a tab', suites: [], tests: [test('opens', true), test('closes', false)] };
    const sessions = [
      {
        testFile: `${process.cwd()}/test/element/tabs.test.ts`,
        testResults: { name: '', suites: [inner], tests: [test('waits', false, true)] },
        errors: [],
      },
      { testFile: `${process.cwd()}/test/element/live.test.ts`, errors: [{ message: 'could not be imported' }] },
    ];
    expect(reportOfSessions(sessions)).toEqual({
      tests: tests(
        ...['waits: skipped', 'a tab > opens: passed', 'a tab > closes: failed'].map(
          line => `test/element/tabs.test.ts: ${line}`,
        ),
      ),
      faults: [{ file: 'test/element/live.test.ts', message: 'could not be imported' }],
    });
  });
});
