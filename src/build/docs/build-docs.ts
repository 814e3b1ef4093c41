/**
 * Builds the documentation into `dist/docs`: each page as HTML and as Markdown, scripts and styles, the documents of
 * the search, and `llms.txt`. Pages come from `docs/`, the API's own OpenAPI document, the error catalogue and the
 * element's manifest.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { buildWhenChanged } from '../build-when-changed.ts';
import { compressFiles } from '../compress-files.ts';
import { root } from '../package-manifest.ts';
import { llmsText } from './llms-text.ts';
import type { Rendered } from './markdown.ts';
import type { DocPage } from './page.ts';
import type { Assets } from './page-shell.ts';
import { searchDocuments } from './search-documents.ts';

const sources = ['docs', 'src', 'demo/guides', 'demo/frameworks', 'package.json', 'package-lock.json'];

/** Builds if a source has changed. Needs the browser build. Returns whether it built. */
export async function buildDocs(): Promise<boolean> {
  return await buildWhenChanged({ root, name: 'docs', sources }, async folder => {
    // Imported here, because an unchanged build needs neither the app nor the grammars.
    const [{ allPages }, { createHighlight }, { createRender }, { markdownPath, pageShell }] = await Promise.all([
      import('./all-pages.ts'),
      import('./highlight.ts'),
      import('./markdown.ts'),
      import('./page-shell.ts'),
    ]);
    const pages = await allPages();
    const served = servedPaths(pages);
    const render = createRender(await createHighlight(), path => served.has(path));
    const rendered = pages.map(page => [page, render(page.markdown)] as const);
    const assets = await buildAssets(folder, rendered);
    for (const [page, content] of rendered) {
      const file = page.slug === '' ? 'index' : page.slug;
      await write(folder, `pages/${file}.html`, pageShell(page, content, pages, assets));
      await write(folder, `pages/${file}.md`, page.markdown);
    }
    await write(folder, 'pages.json', JSON.stringify(pages.map(({ slug }) => slug)));
    await write(folder, 'llms.txt', llmsText(pages, markdownPath));
    await compressFiles(join(folder, 'assets'));
  });
}

/** Paths that the server serves. Inline code that is such a path becomes a link. */
function servedPaths(pages: readonly DocPage[]): ReadonlySet<string> {
  const files = ['/openapi.json', '/llms.txt', '/custom-elements.json', '/pay-checkout.js', '/integrity.json'];
  return new Set([
    ...files,
    '/demo/',
    '/demo/wallet',
    '/demo/phone',
    '/demo/payouts',
    '/sandbox/outbox',
    '/docs',
    ...pages.map(({ slug }) => `/docs/${slug}`),
  ]);
}

async function write(folder: string, name: string, text: string): Promise<void> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Bundles the script and styles of the pages, and writes the documents of the search. */
async function buildAssets(folder: string, rendered: readonly (readonly [DocPage, Rendered])[]): Promise<Assets> {
  const search = JSON.stringify(searchDocuments(rendered));
  const searchFile = `search-${createHash('sha256').update(search).digest('hex').slice(0, 12)}.json`;
  await write(folder, `assets/${searchFile}`, search);
  const source = (name: string) => join(root, `src/pages/docs/${name}.ts`);
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    base: '/docs/',
    build: {
      outDir: folder,
      emptyOutDir: false,
      modulePreload: false,
      reportCompressedSize: false,
      assetsInlineLimit: 0,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: {
        input: { docs: source('docs'), theme: source('theme') },
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
  return { ...assetsOf((built as Rolldown.RolldownOutput).output), search: `/docs/assets/${searchFile}` };
}

function assetsOf(output: Rolldown.RolldownOutput['output']): Omit<Assets, 'search'> {
  const pathOfFile = (pattern: RegExp): string => {
    const file = output.find(({ fileName }) => pattern.test(fileName));
    if (file === undefined) throw new Error(`the build of the documentation made no file ${pattern}`);
    return `/docs/${file.fileName}`;
  };
  return {
    style: pathOfFile(/\.css$/),
    theme: pathOfFile(/\/theme-[^/]+\.js$/),
    script: pathOfFile(/\/docs-[^/]+\.js$/),
  };
}
