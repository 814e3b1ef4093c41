import type { HttpApp } from '../http/http-app.ts';
import { pageDocument, pageLanguage, sendPage } from './page-document.ts';
import { html } from './page-html.ts';
import { protectPage } from './page-policy.ts';
import { showNotFound } from './site.routes.ts';
import type { PageFiles } from './static-files.ts';

const options = { config: { access: 'public' }, schema: { hide: true } } as const;

/**
 * Serves the dashboard at `/dashboard/` and all paths below. The document is the same for all visitors: it contains no
 * data, and its script reads the session.
 */
export function registerDashboardRoutes(app: HttpApp, files: PageFiles): void {
  const page = pageDocument({
    language: pageLanguage('en'),
    title: 'Dashboard',
    styles: files.styles,
    scripts: html`<script type="module" src="${files.script}"></script>
      ${files.modules.map(file => html`<link rel="modulepreload" href="${file}">`)}`,
    body: html`<pay-dashboard></pay-dashboard>
      <noscript><p class="plain-notice">The dashboard needs JavaScript.</p></noscript>`,
  });
  app.get('/dashboard', options, (_request, reply) => reply.redirect('/dashboard/'));
  app.get('/dashboard/*', options, async (request, reply) => {
    // A request for a script of an older build must get an error, not the dashboard's document.
    if (request.url.startsWith('/dashboard/files/')) return await showNotFound(reply, true);
    protectPage(reply, policy);
    return sendPage(reply, page);
  });
}

const policy = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:', 'https:'],
  'connect-src': ["'self'"],
  'frame-src': ["'self'", 'blob:'],
  // Browsers show a PDF in a frame by their own plugin, which this directive controls.
  'object-src': ['blob:'],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['lit-html'],
};
