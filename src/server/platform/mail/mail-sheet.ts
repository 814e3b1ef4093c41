import type { FastifyReply } from 'fastify';
import type { Merchant } from '../merchant.ts';
import type { MailRow } from './mail.store.ts';
import { logoCid, readLogo, sheetOf } from './mail-layout.ts';

/** Lets links of a mail open in a new tab. The mail can run no script and load nothing from other servers. */
const policy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

type SheetBrand = Pick<Merchant, 'name' | 'branding'>;

/** Responds with the mail as a mail program shows it. The document is made for a sandboxed frame. */
export async function sendSheet(
  reply: FastifyReply,
  mail: Pick<MailRow, 'content'>,
  merchant: SheetBrand,
): Promise<FastifyReply> {
  const markup = await withLogoInside(mail, merchant);
  return reply
    .removeHeader('x-frame-options')
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markup);
}

/** The mail's HTML with inline pictures and links that open in a new tab. */
async function withLogoInside(mail: Pick<MailRow, 'content'>, merchant: SheetBrand): Promise<string> {
  const { html } = sheetOf(mail, merchant);
  const picture = `src="cid:${logoCid}"`;
  const logo = html.includes(picture) ? await readLogo(merchant.branding.logo) : null;
  const source = logo === null ? 'data:,' : `data:${logo.contentType};base64,${logo.content.toString('base64')}`;
  return html.replace(picture, () => `src="${source}"`).replace('<head>', '<head><base target="_blank">');
}
