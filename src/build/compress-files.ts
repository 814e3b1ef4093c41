import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesBelow } from './source-stamp.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Below this a compressed answer saves no packet. */
const smallest = 200;

/**
 * Writes `.br` (quality 11) and `.gz` (level 9) beside every text file of the folder, once and for all, so that no
 * request ever compresses.
 */
export async function compressFiles(folder: string): Promise<void> {
  const files = (await filesBelow(folder, '.')).filter(file => /\.(js|css|json|svg|txt|html)$/.test(file));
  await Promise.all(files.map(file => compressFile(join(folder, file))));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < smallest) return;
  const quality = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [brotli, gzipped] = await Promise.all([toBrotli(bytes, { params: quality }), toGzip(bytes, { level: 9 })]);
  if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli);
  if (gzipped.length < bytes.length) await writeFile(`${file}.gz`, gzipped);
}
