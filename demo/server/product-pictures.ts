import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseWebAddress } from '../../src/core/web-address.ts';
import { productOf } from '../catalogue.ts';

const folder = '/demo/api/pictures/';

/**
 * Address of a product's picture for the payment's page. Null when the service would refuse the address: it takes only
 * https addresses and addresses of this machine. `shopUrl` has no slash at its end.
 */
export function pictureUrl(product: string, shopUrl: string): string | null {
  const url = parseWebAddress(`${shopUrl}${folder}${product}.svg`);
  const isOwn = url !== null && /^(localhost|127\.0\.0\.1)$/.test(url.hostname);
  return url?.protocol === 'https:' || isOwn ? (url?.href ?? null) : null;
}

/** The picture at the path, or null for another path. */
export async function servePicture(path: string): Promise<Response | null> {
  if (!path.startsWith(folder) || !path.endsWith('.svg')) return null;
  const product = productOf(path.slice(folder.length, -'.svg'.length));
  if (product === null) return null;
  const file = join(import.meta.dirname, '..', '..', 'demo', 'pictures', `${product.id}.svg`);
  return new Response(await readFile(file, 'utf8'), {
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=86400',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
  });
}
