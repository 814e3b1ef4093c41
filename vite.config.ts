import { basename, dirname, resolve } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import { classicScript } from './src/build/plugins/classic-script.ts';
import { leanLit } from './src/build/plugins/lean-lit.ts';
import { leanQrCode } from './src/build/plugins/lean-qr-code.ts';
import { minifyTemplates } from './src/build/plugins/minify-templates.ts';
import { plainImports } from './src/build/plugins/plain-imports.ts';
import { shortenLitNames } from './src/build/plugins/shorten-lit-names.ts';

const root = import.meta.dirname;

/** Oldest supported browsers: they have modules, constructable style sheets and private fields. */
const target = ['chrome100', 'firefox101', 'safari16.4'];
/** Browsers of merchants: they have popovers, container queries and URLPattern. */
const dashboardTarget = ['chrome120', 'firefox142', 'safari26'];

/** Options of all builds: files below `dist/browser`, without Vite's polyfill and preload script. */
const build: NonNullable<UserConfig['build']> = {
  outDir: resolve(root, 'dist/browser'),
  emptyOutDir: false,
  target,
  modulePreload: false,
  reportCompressedSize: false,
};

/** `--mode script`: the script tag's core `pay-checkout.js` and its chunks in `pay-checkout/`. */
const script: UserConfig = {
  publicDir: resolve(root, 'public'),
  plugins: [
    shortenLitNames('pay-checkout.js'),
    leanLit(),
    leanQrCode(),
    minifyTemplates(),
    classicScript({ core: 'pay-checkout.js', folder: 'pay-checkout' }),
  ],
  build: {
    ...build,
    lib: { entry: { 'pay-checkout': resolve(root, 'src/element/script.ts') }, formats: ['es'] },
    rolldownOptions: {
      preserveEntrySignatures: false,
      output: {
        minify: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        // Everything that the core imports statically stays in its file, even if chunks use it.
        codeSplitting: {
          groups: [
            { name: 'pay-checkout', tags: ['$initial'] },
            // The core asks for this file beside its first call.
            {
              name: 'form',
              test: /element\/(form|controls\/(controls|attention|confirm)|views\/panels|methods\/card|strings\/en\/card)/,
            },
            // The parts that bank and crypto transfers share.
            { name: 'rows', test: /element\/controls\/(rows|transfer-parts)/ },
          ],
        },
      },
    },
  },
};

/** `--mode pages`: a script and a style sheet for each hosted page, named by their content. */
const pages: UserConfig = {
  publicDir: false,
  plugins: [minifyTemplates(), plainImports()],
  build: {
    ...build,
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: Object.fromEntries(
        ['checkout', 'card-frame', 'return', 'refund', 'invoice', 'link', 'ramp'].map(page => [
          page,
          resolve(root, `src/pages/${page}/${page}.ts`),
        ]),
      ),
      output: {
        entryFileNames: '[name]/[name]-[hash].js',
        assetFileNames: '[name]/[name]-[hash][extname]',
        // Beside their page: the card frame may load scripts of its own folder only.
        chunkFileNames: ({ facadeModuleId: file, moduleIds: [first = ''] }) =>
          `${file ? basename(dirname(file)) : dirname(first).endsWith('/card-frame') ? 'card-frame' : 'common'}/[name]-[hash].js`,
      },
    },
  },
};

/** `--mode dashboard`: the dashboard's frame, and its pages as chunks, in `dashboard/files/`. */
const dashboard: UserConfig = {
  publicDir: false,
  base: '/',
  plugins: [leanQrCode(), minifyTemplates()],
  build: {
    ...build,
    target: dashboardTarget,
    // A page's chunk and all its imports are asked for at once.
    modulePreload: { polyfill: false },
    manifest: '.vite/dashboard.json',
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { dashboard: resolve(root, 'src/dashboard/main.ts') },
      output: {
        entryFileNames: 'dashboard/files/[name]-[hash].js',
        chunkFileNames: 'dashboard/files/[name]-[hash].js',
        assetFileNames: 'dashboard/files/[name]-[hash][extname]',
      },
    },
  },
};

/** `--mode demo`: the pages of the demo shop and their files in `demo/files/`. */
const demo: UserConfig = {
  publicDir: false,
  plugins: [minifyTemplates()],
  build: {
    ...build,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index', 'wallet', 'phone'].map(page => resolve(root, `demo/${page}.html`)),
      output: {
        entryFileNames: 'demo/files/[name]-[hash].js',
        chunkFileNames: 'demo/files/[name]-[hash].js',
        assetFileNames: 'demo/files/[name]-[hash][extname]',
      },
    },
  },
};

const modes: Readonly<Record<string, UserConfig>> = { script, pages, dashboard, demo };

export default defineConfig(({ mode }) => ({
  root,
  logLevel: 'warn',
  // Without `production` a build started by a test runner would be a development build.
  resolve: {
    conditions: ['module', 'browser', 'production'],
    // The element draws the QR code itself and needs none of the package's renderers.
    alias: { qrcode: 'qrcode/lib/core/qrcode.js' },
  },
  define: { 'process.env.NODE_ENV': '"production"' },
  ...(modes[mode] ?? script),
}));
