import type { FastifyReply } from 'fastify';
import { html, type Markup } from './page-html.ts';
import { curlLine, type TestKeys } from './welcome.ts';

const siteHeader = html`<header>
  <img src="/favicon.svg" alt="" width="32" height="32"><span>pay-checkout</span><span class="mode">Sandbox</span>
</header>`;

/** The keys that a visitor may see. A key is null if it must not be shown. */
export type ShownKeys = Pick<TestKeys, 'secretKey' | 'publishableKey'>;

/** The links of the page at `/`. */
interface LandingLinks {
  /** Whether there is a demo shop. */
  readonly demo: boolean;
  /** The path of the dashboard, or null. */
  readonly dashboard: string | null;
}

/** The page at `/`: the purpose of the service, and a first request to try. */
export function landingPage(publicUrl: string, keys: ShownKeys, { demo, dashboard }: LandingLinks): SitePage {
  return {
    title: 'pay-checkout',
    description: 'One tag on a page, every way to pay.',
    body: html`<div class="home">
      ${siteHeader}
      <main>
        <h1>One tag.<br>Every way to pay.</h1>
        <p class="lead">
          Card, bank transfer and crypto in one checkout, at a rate that is held while the payer decides. This server is a
          sandbox: nothing here moves real money.
        </p>
        <p class="actions">${demo && html`<a class="button" href="/demo/">Try the shop</a>`}${dashboard !== null && html`<a class="button second" href="${dashboard}">Open the dashboard</a>`}<a class="button second" href="/docs">Read the docs</a></p>
        ${(keys.secretKey !== null || keys.publishableKey !== null) && keySection(keys)}
        <section class="card">
          <h2>Take a payment</h2>
          <p>Run this line, then open the <code>checkout_url</code> of the answer.</p>
          <pre tabindex="0"><code>${curlLine(publicUrl, { secretKey: keys.secretKey, given: [] })}</code></pre>
        </section>
      </main>
      <footer>
        <a href="/docs">Docs</a><a href="/docs/api">API reference</a><a href="/docs/element">Element</a><a href="/docs/errors">Errors</a><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a>
      </footer>
    </div>`,
  };
}

/**
 * The page for a browser that requests an unknown URL. `isOwnSite`: the page names the service and links to its start
 * page. On a merchant's domain, the page does neither.
 */
export function notFoundPage(isOwnSite: boolean): SitePage {
  return {
    title: isOwnSite ? 'Not found · pay-checkout' : 'Not found',
    description: 'This page does not exist.',
    body: html`<div class="home">
      ${isOwnSite && siteHeader}
      <main>
        <h1>Nothing here.</h1>
        <p class="lead">The address may be mistyped, or the page may have moved.</p>
        ${isOwnSite && html`<p class="actions"><a class="button" href="/">To the start</a></p>`}
      </main>
    </div>`,
  };
}

function keySection({ secretKey, publishableKey }: ShownKeys): Markup {
  return html`<section class="card">
    <h2>Your test keys</h2>
    <p>The secret key is for servers, the publishable key for web pages.</p>
    <dl class="keys">
      ${secretKey !== null && html`<div><dt>Secret key</dt><dd><code>${secretKey}</code></dd></div>`}
      ${publishableKey !== null && html`<div><dt>Publishable key</dt><dd><code>${publishableKey}</code></dd></div>`}
    </dl>
  </section>`;
}

/** A page of the service's own site. */
export interface SitePage {
  readonly title: string;
  readonly description: string;
  readonly body: Markup;
  /** Whether the page has frames with other documents of the service. */
  readonly framing?: boolean;
  /** Whether the page has a search form. */
  readonly searching?: boolean;
}

/** The whole document, without scripts and inline styles. */
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
        <link rel="stylesheet" href="/site.css">
      </head>
      <body>
        ${body}
      </body>
    </html>`.markup;
}

/** Sends a page that may load only style sheets, images and frames, all from this server. */
export function sendSitePage(reply: FastifyReply, page: SitePage): FastifyReply {
  const frames = page.framing === true ? " frame-src 'self';" : '';
  const forms = page.searching === true ? "'self'" : "'none'";
  const policy = `default-src 'none'; style-src 'self'; img-src 'self';${frames} base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;
  return reply
    .header('content-security-policy', policy)
    .header('cross-origin-opener-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .send(siteDocument(page));
}
