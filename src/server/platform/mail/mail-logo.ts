/** A picture inside a mail. */
export interface InlinePicture {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Under which name the HTML shows the merchant's logo: `<img src="cid:logo">`. */
export const logoCid = 'logo';

/** Largest side of a logo in a mail, in pixels: twice the size it is shown at. */
const largestSide = 400;

/**
 * Whether the merchant's logo can be put into mails: it is kept here. A logo on a web server would tell that server who
 * reads the mail.
 */
export function hasInlineLogo(logo: string | null): boolean {
  return logo?.startsWith('data:') ?? false;
}

/**
 * The merchant's logo as mail programs show it: small, and PNG or JPEG, since some know no WebP. Null when there is
 * none, or when it cannot be read: a mail goes without its picture rather than not at all.
 */
export async function readLogo(logo: string | null): Promise<InlinePicture | null> {
  const match = /^data:image\/(?:png|jpeg|webp);base64,(.+)$/.exec(logo ?? '');
  if (match === null) return null;
  const { default: sharp } = await import('sharp');
  const content = await sharp(Buffer.from(match[1] ?? '', 'base64'), { limitInputPixels: 2048 * 2048 })
    .resize({ width: largestSide, height: largestSide, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer()
    .catch(() => null);
  return content && { filename: 'logo.png', contentType: 'image/png', content };
}
