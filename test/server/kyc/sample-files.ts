import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A small picture, with the place where it was taken and the camera's position in its metadata. */
export async function photo(format: 'jpeg' | 'png' | 'webp'): Promise<Buffer> {
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background: '#c81e5a' } })
    .withExif({ IFD0: { Artist: 'SECRET-ARTIST' }, IFD3: { GPSLatitude: '51/1 30/1 3230/100', GPSLatitudeRef: 'N' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET-XMP</x:xmpmeta>');
  return await image.toFormat(format).toBuffer();
}

/** A PNG with this size in its header, and no pixels. */
export function pngHeader(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A PDF with this text among its objects. */
export const pdf = (objects = ''): Buffer =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n${objects}\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`,
    'latin1',
  );

/** A PDF whose object stream has this content, compressed. */
export function pdfWithObjects(content: string, dictionary = '/Type/ObjStm/N 1/First 4/Filter/FlateDecode'): Buffer {
  const stream = deflateSync(Buffer.from(content, 'latin1')).toString('latin1');
  return pdf(`3 0 obj\n<<${dictionary}/Length ${stream.length}>>\nstream\r\n${stream}\nendstream\nendobj`);
}
