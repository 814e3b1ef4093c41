/**
 * Bundles the server with the packages it uses into `dist/server`, which is what `npm start` runs: a few files instead
 * of some thousand start in half the time and hold a third less memory. `node src/server/main.ts` runs the same server
 * from its sources. Not minified, since stack traces are read by people and memory is the same.
 */
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { faces, packagedFontFile } from '../server/documents/font-files.ts';
import { buildWhenChanged } from './build-when-changed.ts';

const root = resolve(import.meta.dirname, '../..');

/** What the server is made from. */
const sources = ['src', 'demo', 'tsconfig.json', 'package.json', 'package-lock.json'];

/** Builds where it is needed; true when it built. */
export async function buildServer(): Promise<boolean> {
  return await buildWhenChanged({ root, name: 'server', sources }, async folder => {
    await bundle(folder);
    // The server looks for them beside its own file, as it does in the sources.
    await cp(join(root, 'src/server/platform/db/migrations'), join(folder, 'platform/db/migrations'), {
      recursive: true,
    });
    await copyFonts(join(folder, 'fonts'));
  });
}

/** Copies the fonts that documents use. Their packages hold 210 MB, and the server is installed without them. */
async function copyFonts(folder: string): Promise<void> {
  await mkdir(folder);
  for (const face of faces) await copyFile(packagedFontFile(face), join(folder, `${face}.ttf`));
}

/** What the server imports late stays in files of its own; all of them lie flat, as deep as `main.ts` does below the root. */
async function bundle(outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: {
      noExternal: true,
      external: [
        // An optional part of pg, which nobody asks for.
        'pg-native',
        // Loads a library of its own for the machine it runs on.
        'sharp',
        // Reads a colour profile that lies beside its own file.
        'pdfkit',
      ],
      // Said here, since a build that a test runner starts would otherwise be one for development.
      resolve: { conditions: ['module', 'node', 'production'] },
    },
    build: {
      ssr: true,
      outDir,
      target: 'node20',
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: {
        // The service, and the processes that draw documents and logos for it.
        input: [
          join(root, 'src/server/main.ts'),
          join(root, 'src/server/documents/drawing-process.ts'),
          join(root, 'src/server/merchants/svg-process.ts'),
        ],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}
