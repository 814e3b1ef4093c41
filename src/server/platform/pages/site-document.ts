import type { FastifyReply } from 'fastify';
import { html, type Markup } from './page-html.ts';

/** A page of the service's own site. */
export interface SitePage {
  readonly title: string;
  readonly description: string;
  readonly body: Markup;
  /** Whether it shows other documents of the service in frames. */
  readonly framing?: boolean;
}

/** Where the site's style sheet is served. */
const siteStylePath = '/site.css';

/** The whole document: no script, nothing inline. */
function siteDocument({ title, description, body }: SitePage): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${description}">
        <title>${title}</title>
        <link rel="icon" href="/favicon.svg">
        <link rel="stylesheet" href="${siteStylePath}">
      </head>
      <body>
        ${body}
      </body>
    </html>`.markup;
}

/** Sends a page that loads its style sheet, images and frames from here and nothing else from anywhere. */
export function sendSitePage(reply: FastifyReply, page: SitePage): FastifyReply {
  const frames = page.framing === true ? " frame-src 'self';" : '';
  const policy = `default-src 'none'; style-src 'self'; img-src 'self';${frames} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return reply
    .header('content-security-policy', policy)
    .header('cross-origin-opener-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .send(siteDocument(page));
}
