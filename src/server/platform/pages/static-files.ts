import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import staticFiles from '@fastify/static';
import { Type } from 'typebox';
import type { HttpApp } from '../http/http-app.ts';
import type { Limit } from './page-guard.ts';

/** The pages of payers with their own script and style sheet. */
const payerPages = ['checkout', 'return', 'refund', 'invoice', 'link', 'ramp'] as const;
const payerFolders = ['pay-checkout', 'common', ...payerPages];

const pathsIn = (names: string, folders: readonly string[]) => new RegExp(`^/(${names}|(${folders.join('|')})/.+)$`);

/** Paths that contain a version or a hash of the content. Their content never changes. */
const unchanging = pathsIn('pay-checkout-[^/]+\\.js', [...payerFolders, 'card-frame', 'dashboard/files', 'demo/files']);

/** Files of payers' pages, which merchants' domains serve too. */
const forPayers = pathsIn('pay-checkout\\.js|favicon\\.svg', payerFolders);

/** Files that other sites and their tools load. SRI, modules and embedder policies need the cross-origin headers. */
const forOtherSites = /^\/(pay-checkout[^/]*\.js|pay-checkout\/.+|(integrity|custom-elements)\.json)$/;

const year = 'public, max-age=31536000, immutable';
const fiveMinutes = 'public, max-age=300';

/**
 * Serves each file of the browser build under its own route, precompressed and with 304. `leftOut`: patterns of files
 * not to serve. Looks up chunks at each request, because a new build can change their names while the server runs.
 */
export async function serveBrowserFiles(app: HttpApp, browserDir: string, leftOut: readonly string[]): Promise<void> {
  app.addHook('onRoute', route => {
    if (forPayers.test(route.url)) route.config = { ...route.config, underDomains: true };
  });
  await app.register(staticFiles, {
    root: browserDir,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz', 'pay-checkout/**', ...leftOut],
    serveDotFiles: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const path = `/${relative(browserDir, file)}`.replace(/\.(br|gz)$/, '');
      // The files of the documentation are outside this folder. Their route sets `cache-control` itself.
      if (path.startsWith('/..')) return;
      reply.header('cache-control', unchanging.test(path) ? year : fiveMinutes);
      if (!forOtherSites.test(path)) return;
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
      reply.header('timing-allow-origin', '*');
    },
  });
  const chunk = { schema: { params: Type.Object({ chunk: Type.String() }) } };
  app.get('/pay-checkout/:chunk(^[\\w-]+\\.js$)', chunk, ({ params }, reply) =>
    reply.sendFile(`pay-checkout/${params.chunk}`),
  );
}

const pageNames = [...payerPages, 'card-frame'] as const;
type PageName = (typeof pageNames)[number];

/** Paths of a page's files, relative to the service's URL. Each name contains a hash of the content. */
export interface PageFiles {
  readonly script: string;
  readonly styles: readonly string[];
  /** Modules that the script imports. A page that links these modules saves a round trip. */
  readonly modules: readonly string[];
}

export type PageAssets = Readonly<Record<PageName | 'dashboard', PageFiles>> & {
  /** The element's script. A query with the hash of its content keeps pages from loading chunks of another build. */
  readonly element: string;
};

interface ManifestEntry {
  readonly file: string;
  readonly name?: string;
  readonly css?: readonly string[];
  /** Keys of other entries in the manifest. */
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

/** Reads the files of each page from the build's manifests. Throws an Error that names the build command. */
export function readPageAssets(browserDir: string): PageAssets {
  const manifests = ['manifest', 'dashboard'].map(name => readManifest(browserDir, name));
  const filesOf = (page: PageName | 'dashboard'): PageFiles => {
    for (const manifest of manifests) {
      const entry = Object.values(manifest).find(({ name, isEntry }) => isEntry && name === page);
      if (entry === undefined) continue;
      const modules = importsOf(manifest, entry).map(file => `/${file}`);
      return { script: `/${entry.file}`, styles: (entry.css ?? []).map(file => `/${file}`), modules };
    }
    throw new Error(`The browser build has no page ${page}. Run: npm run build`);
  };
  const script = readFileSync(join(browserDir, 'pay-checkout.js'));
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 12);
  const pages = Object.fromEntries(pageNames.map(page => [page, filesOf(page)])) as Record<PageName, PageFiles>;
  return { ...pages, dashboard: filesOf('dashboard'), element: `/pay-checkout.js?${hash}` };
}

/** The files that an entry imports, directly or through other files. */
function importsOf(manifest: Record<string, ManifestEntry>, entry: ManifestEntry): readonly string[] {
  const found = new Set<ManifestEntry>();
  const visit = ({ imports = [] }: ManifestEntry) => {
    for (const key of imports) {
      const imported = manifest[key];
      if (imported === undefined || found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(entry);
  return [...found].map(({ file }) => file);
}

function readManifest(browserDir: string, name: string): Record<string, ManifestEntry> {
  try {
    return JSON.parse(readFileSync(join(browserDir, `.vite/${name}.json`), 'utf8'));
  } catch (cause) {
    throw new Error(`There are no browser files in ${browserDir}. Run: npm run build`, { cause });
  }
}

/** Dependencies of the hosted pages of all modules. */
export interface PageDeps {
  readonly browserDir: string;
  readonly assets: PageAssets;
  /** Limits requests of wrong page URLs. All pages share the limit. */
  readonly limitWrong: Limit;
}
