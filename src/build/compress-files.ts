import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesBelow } from './build-when-changed.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Size in bytes below which a file is not compressed, because this would save no network packet. */
const minCompressedBytes = 200;

/** Encoder settings to try. The smallest result is kept. */
const settings: readonly Readonly<Record<number, number>>[] = [
  {},
  { [constants.BROTLI_PARAM_NDIRECT]: 15 },
  { [constants.BROTLI_PARAM_NDIRECT]: 15, [constants.BROTLI_PARAM_LGWIN]: 16 },
];

/** Writes `.br` and `.gz` copies beside text files if they are smaller. A server then need not compress. */
export async function compressFiles(folder: string): Promise<void> {
  const files = (await filesBelow(folder, '.')).filter(file => /\.(js|css|json|svg|txt|html)$/.test(file));
  await Promise.all(files.map(file => compressFile(join(folder, file))));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < minCompressedBytes) return;
  const quality = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const brotlis = await Promise.all(settings.map(params => toBrotli(bytes, { params: { ...quality, ...params } })));
  const [brotli = bytes] = brotlis.sort((one, other) => one.length - other.length);
  const gzipped = await toGzip(bytes, { level: 9 });
  if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli);
  if (gzipped.length < bytes.length) await writeFile(`${file}.gz`, gzipped);
}
