import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import type { Reporter, TestRunnerConfig, TestRunnerPlugin, TestSuiteResult } from '@web/test-runner';
import { defaultReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { build, type Rolldown } from 'vite';
import { browserArgs, findBrowser } from './test/support/browser.ts';

const root = import.meta.dirname;
const qrCode = '/src/element/parts/qr-code.ts';

/** `qrcode` is CommonJS, which no browser reads: the one module that imports it is served as the build makes it. */
function bundledQrCode(): TestRunnerPlugin {
  let body: Promise<string> | undefined;
  const bundle = async () => {
    const options = { lib: { entry: join(root, qrCode), formats: ['es' as const] }, write: false, minify: false };
    const built = (await build({
      root,
      configFile: false,
      logLevel: 'warn',
      build: options,
    })) as Rolldown.RolldownOutput[];
    return built[0]?.output[0].code ?? '';
  };
  return {
    name: 'bundled-qr-code',
    async serve({ path }) {
      if (path !== qrCode) return undefined;
      body ??= bundle();
      return { body: await body, type: 'js' };
    },
  };
}

/** Writes `{ passed, failed, skipped }` where `ELEMENT_REPORT` says, for the run that adds up all suites. */
function countReporter(): Reporter {
  const file = process.env['ELEMENT_REPORT'];
  return {
    onTestRunFinished({ sessions }) {
      const counts = { passed: 0, failed: 0, skipped: 0 };
      const add = ({ tests, suites }: TestSuiteResult) => {
        for (const { passed, skipped } of tests) counts[skipped ? 'skipped' : passed ? 'passed' : 'failed']++;
        suites.forEach(add);
      };
      for (const { testResults, errors } of sessions) {
        if (testResults) add(testResults);
        counts.failed += errors.length;
      }
      if (file) writeFileSync(file, JSON.stringify(counts));
    },
  };
}

const executablePath = findBrowser();

export default {
  files: 'test/element/**/*.test.ts',
  nodeResolve: { exportConditions: ['production', 'default'] },
  concurrency: 1,
  browsers: [
    playwrightLauncher({ launchOptions: { args: browserArgs, ...(executablePath !== null && { executablePath }) } }),
  ],
  plugins: [bundledQrCode(), esbuildPlugin({ ts: true, target: 'es2022', tsconfig: join(root, 'tsconfig.json') })],
  reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), countReporter()],
  testFramework: { config: { timeout: '10000' } },
} as object as TestRunnerConfig;
