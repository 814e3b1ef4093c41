import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Package } from 'custom-elements-manifest/schema.d.ts';
import { root } from '../package-manifest.ts';
import { apiPages, type Reference } from './api/api-pages.ts';
import { clientCalls } from './api/client-calls.ts';
import { readApiDocument } from './api/document.ts';
import { elementPage } from './element-page.ts';
import { errorPages } from './error-pages.ts';
import type { DocPage } from './page.ts';
import { writtenPages } from './written-pages.ts';

/** All pages of the documentation, in the order of the contents. Needs the browser build. */
export async function allPages(): Promise<DocPage[]> {
  const manifest = JSON.parse(await readFile(join(root, 'dist/browser/custom-elements.json'), 'utf8')) as Package;
  const [written, { pages }] = await Promise.all([writtenPages(), apiReference()]);
  return [...written, ...pages, ...errorPages(), elementPage(manifest)];
}

/** The API reference, made from the server's own OpenAPI document. */
export async function apiReference(): Promise<Reference> {
  return apiPages(await readApiDocument(), await clientCalls());
}
