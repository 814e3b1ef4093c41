import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limit } from './page-guard.ts';

/** The pages that have a script and a style sheet of their own. */
export type PageName = 'checkout' | 'card-frame' | 'return' | 'refund' | 'invoice' | 'link';

/** Paths of a page's files, relative to the service's address, named by their content. */
export interface PageFiles {
  readonly script: string;
  readonly styles: readonly string[];
}

/** Where the files of each page are. */
export type PageAssets = Readonly<Record<PageName, PageFiles>> & {
  /** The element's script tag, with the hash of its content as query, so that a page never meets chunks of another build. */
  readonly element: string;
};

interface ManifestEntry {
  readonly file: string;
  readonly name?: string;
  readonly css?: readonly string[];
  readonly isEntry?: boolean;
}

/**
 * Reads which files the browser build made for each page, from the manifest in its folder. Throws an Error that says
 * what to run when there is no build.
 */
export function readPageAssets(browserDir: string): PageAssets {
  const entries = Object.values(readManifest(browserDir)).filter(entry => entry.isEntry);
  const filesOf = (page: PageName): PageFiles => {
    const entry = entries.find(({ name }) => name === page);
    if (!entry) throw new Error(`The browser build has no page ${page}. Run: npm run build`);
    return { script: `/${entry.file}`, styles: (entry.css ?? []).map(file => `/${file}`) };
  };
  return {
    checkout: filesOf('checkout'),
    'card-frame': filesOf('card-frame'),
    return: filesOf('return'),
    refund: filesOf('refund'),
    invoice: filesOf('invoice'),
    link: filesOf('link'),
    element: `/pay-checkout.js?${hashOf(join(browserDir, 'pay-checkout.js'))}`,
  };
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
}

function readManifest(browserDir: string): Record<string, ManifestEntry> {
  try {
    return JSON.parse(readFileSync(join(browserDir, '.vite/manifest.json'), 'utf8'));
  } catch (cause) {
    throw new Error(`There are no browser files in ${browserDir}. Run: npm run build`, { cause });
  }
}

/** What the hosted pages of all modules share. */
export interface PageDeps {
  /** The folder of the browser build. */
  readonly browserDir: string;
  readonly assets: PageAssets;
  /** Counts requests of wrong page addresses, all kinds together. */
  readonly limitWrong: Limit;
}
