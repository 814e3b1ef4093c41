import { isIP } from 'node:net';
import { parseWebAddress } from '../../core/web-address.ts';
import { readImageHeader } from '../platform/image-header.ts';

/** Longest side of a logo or icon, in pixels. */
const longestSide = 2048;
/** Why an image (an https or `data:` URL) is rejected, or null. The field's name and this text form a sentence. */
export function imageProblem(text: string): string | null {
  if (!text.startsWith('data:')) return imageUrlProblem(text);
  const match = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match === null) return 'takes a PNG, JPEG or WebP image as data:image/…;base64,….';
  const header = readImageHeader(Buffer.from(match[2] ?? '', 'base64'));
  if (header === null || header.type !== match[1])
    return `is not the ${match[1]?.toUpperCase()} image that it claims to be.`;
  const isSane = Math.min(header.width, header.height) >= 1 && Math.max(header.width, header.height) <= longestSide;
  return isSane ? null : `is ${header.width} × ${header.height} pixels; the longest side may be ${longestSide}.`;
}

/** Allows only public host names, because payers' browsers fetch the image. The service never fetches it. */
function imageUrlProblem(text: string): string | null {
  const url = parseWebAddress(text);
  if (url === null || url.protocol !== 'https:') return 'takes an https address or a data: image (PNG, JPEG, WebP).';
  const isPublicName = isIP(url.hostname) === 0 && !url.hostname.startsWith('[') && url.hostname.includes('.');
  if (!isPublicName) return 'must be on a public host name.';
  return /\.svgz?$/i.test(url.pathname) ? 'must be PNG, JPEG or WebP.' : null;
}
