import { join } from 'node:path';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import type { TestRunnerConfig, TestRunnerPlugin } from '@web/test-runner';
import { defaultReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { build, type Rolldown } from 'vite';
import { leanQrCode } from './src/build/plugins/lean-qr-code.ts';
import { elementReport } from './test/run/runner-reports.ts';
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

const executablePath = findBrowser();

export default {
  files: ['test/element/**/*.test.ts', 'test/dashboard/**/*.test.ts'],
  nodeResolve: { exportConditions: ['production', 'default'] },
  concurrency: 2,
  browsers: [
    playwrightLauncher({ launchOptions: { args: browserArgs, ...(executablePath !== null && { executablePath }) } }),
  ],
  plugins: [bundled(), esbuildPlugin({ ts: true, target: 'esnext', tsconfig: join(root, 'tsconfig.json') })],
  reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), elementReport()],
  testFramework: { config: { timeout: '30000' } },
} as object as TestRunnerConfig;
