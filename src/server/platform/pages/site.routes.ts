import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCache } from '../../../core/cache.ts';
import { isLoopbackOrigin } from '../http/access/cors.ts';
import { hostedPage } from '../http/access/page-hosts.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { OpenApiSource } from '../http/openapi/openapi.ts';
import type { ShownKeys } from './landing-page.ts';
import type { TestKeys } from './welcome.ts';

export interface SiteDeps {
  readonly publicUrl: () => string;
  /** Whether there is a demo shop to link to. */
  readonly demo: boolean;
  /** Whether anyone may sign in to the dashboard as owner (in the sandbox). Null without a browser build. */
  readonly sandboxSignIn: (() => Promise<boolean>) | null;
  /** The source of the OpenAPI document. Routes are added to it until the server listens. */
  readonly document: OpenApiSource;
  /** The first merchant's test keys. Visitors on this machine see those that the server created itself. */
  readonly testKeys: () => Promise<TestKeys>;
}

const options = { config: { access: 'public' }, schema: { hide: true } } as const;
const forAnHour = 'public, max-age=3600';

/** Registers the service's own site. Its rendering code is loaded at the first visit, so that starts are fast. */
export function registerSiteRoutes(app: HttpApp, deps: SiteDeps): void {
  app.get('/', options, async (request, reply) => {
    const { landingPage, sendSitePage } = await import('./landing-page.ts');
    const keys = await shownKeys(deps, request);
    const page = landingPage(deps.publicUrl(), keys, { demo: deps.demo, dashboard: await dashboardPath(deps) });
    return sendSitePage(reply.header('cache-control', 'no-store'), page);
  });
  app.get('/site.css', { ...options, config: hostedPage }, async (_request, reply) => {
    const { siteStyle } = await import('./site-style.ts');
    return reply.header('cache-control', forAnHour).type('text/css; charset=utf-8').send(siteStyle);
  });
  // The documents can be cached, because routes and schemas do not change after the server listens.
  const documents = createCache<string>(1);
  app.get('/openapi.json', options, async (_request, reply) => {
    const { openApiDocument } = await import('../http/openapi/openapi.ts');
    // Browser tools on other sites may read the document. It contains no secrets.
    reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
    const text = documents(deps.publicUrl(), () => JSON.stringify(openApiDocument(deps.document)));
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

/**
 * The path of the dashboard. In a sandbox where no person has a password or a passkey, it signs in at once. Null
 * without a browser build.
 */
async function dashboardPath({ sandboxSignIn }: SiteDeps): Promise<string | null> {
  if (sandboxSignIn === null) return null;
  return (await sandboxSignIn()) ? '/dashboard/#sandbox' : '/dashboard/';
}

/** The keys that the server created itself, shown only to visitors on this machine. */
async function shownKeys(deps: SiteDeps, request: FastifyRequest): Promise<ShownKeys> {
  if (!isLocalVisit(request, deps.publicUrl())) return { secretKey: null, publishableKey: null };
  const { secretKey, publishableKey, given } = await deps.testKeys();
  return {
    secretKey: given.includes('secret') ? null : secretKey,
    publishableKey: given.includes('publishable') ? null : publishableKey,
  };
}

/**
 * Whether the visitor uses this machine. Checks both IP address and Host header: the header can be forged, and a proxy
 * hides the visitor's IP address.
 */
function isLocalVisit({ ip, host, headers }: FastifyRequest, publicUrl: string): boolean {
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'].some(name => name in headers);
  const isOwnAddress = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(ip);
  const origins = [`http://${host}`, URL.parse(publicUrl)?.origin ?? ''];
  return isOwnAddress && !isForwarded && origins.every(isLoopbackOrigin);
}

/** Sends the page for an unknown URL, with status 404. */
export async function showNotFound(reply: FastifyReply, isOwnSite: boolean): Promise<FastifyReply> {
  const { notFoundPage, sendSitePage } = await import('./landing-page.ts');
  return sendSitePage(reply.code(404), notFoundPage(isOwnSite));
}
