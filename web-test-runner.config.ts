import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import type { Reporter, TestRunnerConfig, TestRunnerPlugin, TestSuiteResult } from '@web/test-runner';
import { defaultReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { build, type Rolldown } from 'vite';
import { leanQrCode } from './src/build/plugins/lean-qr-code.ts';
import { browserArgs, findBrowser } from './test/support/browser.ts';

const root = import.meta.dirname;

/** Files that import CommonJS, which browsers cannot load. */
const bundledFiles = ['/src/element/controls/qr-code.ts', '/src/element/wallets/freighter.ts'];

/** Serves these files bundled with their imports. */
function bundled(): TestRunnerPlugin {
  const bodies = new Map<string, Promise<string>>();
  const bundle = async (path: string) => {
    const options = { lib: { entry: join(root, path), formats: ['es' as const] }, write: false, minify: false };
    const built = (await build({
      root,
      configFile: false,
      logLevel: 'warn',
      plugins: [leanQrCode()],
      resolve: { alias: { qrcode: 'qrcode/lib/core/qrcode.js' } },
      build: options,
    })) as Rolldown.RolldownOutput[];
    return built[0]?.output[0].code ?? '';
  };
  return {
    name: 'bundled',
    async serve({ path }) {
      if (!bundledFiles.includes(path)) return undefined;
      const body = bodies.get(path) ?? bundle(path);
      bodies.set(path, body);
      return { body: await body, type: 'js' };
    },
  };
}

/** Writes `{ passed, failed, skipped, failures }` to the file `ELEMENT_REPORT`, for the run of all suites. */
function countReporter(): Reporter {
  const file = process.env['ELEMENT_REPORT'];
  return {
    onTestRunFinished({ sessions }) {
      const counts = { passed: 0, failed: 0, skipped: 0, failures: [] as string[] };
      const add = ({ tests, suites }: TestSuiteResult) => {
        for (const { name, passed, skipped } of tests) {
          counts[skipped ? 'skipped' : passed ? 'passed' : 'failed']++;
          if (!(passed || skipped)) counts.failures.push(name);
        }
        suites.forEach(add);
      };
      for (const { testResults, errors } of sessions) {
        if (testResults) add(testResults);
        counts.failed += errors.length;
        counts.failures.push(...errors.map(({ message }) => message));
      }
      if (file) writeFileSync(file, JSON.stringify(counts));
    },
  };
}

const executablePath = findBrowser();

export default {
  files: ['test/element/**/*.test.ts', 'test/dashboard/**/*.test.ts'],
  nodeResolve: { exportConditions: ['production', 'default'] },
  concurrency: 2,
  browsers: [
    playwrightLauncher({ launchOptions: { args: browserArgs, ...(executablePath !== null && { executablePath }) } }),
  ],
  plugins: [bundled(), esbuildPlugin({ ts: true, target: 'es2022', tsconfig: join(root, 'tsconfig.json') })],
  reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), countReporter()],
  testFramework: { config: { timeout: '30000' } },
} as object as TestRunnerConfig;
