/**
 * Bundles the server with its packages into `dist/server`, which `npm start` runs. The bundle starts faster than the
 * sources and takes less memory. It is not minified, so stack traces stay readable.
 */
import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { copiedFaces, packagedFontFile } from '../server/documents/fonts/font-files.ts';
import { buildWhenChanged } from './build-when-changed.ts';

const root = resolve(import.meta.dirname, '../..');

const sources = ['src', 'demo', 'tsconfig.json', 'package.json', 'package-lock.json'];

/** Builds if a source has changed. Returns whether it built. */
export async function buildServer(): Promise<boolean> {
  return await buildWhenChanged({ root, name: 'server', sources }, async folder => {
    await bundle(folder);
    await cp(join(root, 'src/server/platform/db/migrations'), join(folder, 'platform/db/migrations'), {
      recursive: true,
    });
    await copyFonts(join(folder, 'fonts'));
    // The program that `bin` of package.json names must be executable.
    await chmod(join(folder, 'main.js'), 0o755);
  });
}

/** Copies the fonts with `isCopied`, so that the installed server does not need their packages. */
async function copyFonts(folder: string): Promise<void> {
  await mkdir(folder);
  for (const face of copiedFaces) await copyFile(packagedFontFile(face), join(folder, `${face}.ttf`));
}

/** Bundles into one folder, because the server finds other files by their path relative to the bundle. */
async function bundle(outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: {
      noExternal: true,
      external: [
        // An optional part of pg, which is not installed.
        'pg-native',
        // Not bundled, because it loads a native library for its platform.
        'sharp',
        // Not bundled, because it reads a colour profile beside its own file.
        'pdfkit',
      ],
      // Without these conditions, a build that a test runner starts would be a development build.
      resolve: { conditions: ['module', 'node', 'production'] },
    },
    build: {
      ssr: true,
      outDir,
      target: 'node20',
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: [join(root, 'src/cli/main.ts'), join(root, 'src/server/documents/process/drawing-process.ts')],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}
