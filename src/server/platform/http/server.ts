import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyReply, type FastifyRequest, type RawServerDefault, type RouteOptions } from 'fastify';
import { apiVersion, apiVersions } from '../../../api/event.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { type AuthDeps, createAuthenticator } from './access/auth.ts';
import { type Access, isForGuests, isScope, pathOf } from './access/caller.ts';
import { createPreflight } from './access/cors.ts';
import { isForPayers, type PageHosts } from './access/page-hosts.ts';
import type { Scopes } from './access/roles.ts';
import { createRouteTable, describeRoute, type RouteDescription, type RouteTable } from './access/route-description.ts';
import { asksForPage } from './access/visitor.ts';
import { parseJsonObject } from './body.ts';
import { createClientErrorHandler, createErrorHandler, type ErrorDeps } from './errors.ts';
import type { HttpApp } from './http-app.ts';
import { compileValidator } from './validation.ts';

interface HttpDeps extends ErrorDeps {
  readonly auth: AuthDeps;
  /** The scopes that routes may require. */
  readonly scopes: Scopes;
  /** Called after each response, for logs and metrics. */
  readonly observe: (request: FastifyRequest, reply: FastifyReply) => void;
  /** CIDR ranges of proxies whose X-Forwarded-* headers are trusted. Default: none. */
  readonly trustedProxies: readonly string[];
  /** Whether the server is stopping. Each response then ends its connection. */
  readonly isDraining: () => boolean;
  /** Whether the database belongs to a newer version of the server. */
  readonly isOutdated: () => boolean;
  /** Sends the page for an unknown URL. `isOwnSite`: the page may lead to the service's start page. */
  readonly showNotFound: (reply: FastifyReply, isOwnSite: boolean) => Promise<FastifyReply>;
  readonly hosts: PageHosts;
}

const mebibyte = 1024 * 1024;

/** The HTTP server, and the descriptions of its routes. */
export type HttpServer = ReturnType<typeof createHttpServer>;

/**
 * Creates the HTTP server without routes. The steps of a request: 1. request id and security headers; 2. preflights,
 * 404 and 405; 3. authentication and rate limit; 4. the strict body parser; 5. the schemas; 6. the handler; 7. errors;
 * 8. log and metrics.
 */
export function createHttpServer(deps: HttpDeps) {
  const descriptions: RouteDescription[] = [];
  const routes = createRouteTable();
  const isOnMerchantHost = ({ hostname }: FastifyRequest) => deps.hosts.merchantOf(hostname) !== null;
  const secure = createSecuring(deps, isOnMerchantHost);
  const handleError = createErrorHandler(deps);
  const app = fastify<RawServerDefault>({
    ...limits,
    logger: false,
    genReqId: () => newId('request'),
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(deps.publicUrl),
    frameworkErrors: (error, request, reply) => {
      secure(reply, request);
      handleError(error, request, reply);
    },
    // Without these two functions, the framework would load two compilers that are never needed.
    schemaController: {
      compilersFactory: {
        buildValidator: () => compileValidator,
        buildSerializer: () => () => JSON.stringify,
      } as object,
    },
  });
  decorateRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    secure(reply, request);
    if (request.url.startsWith('/v1/')) reply.header('pay-version', apiVersion);
    const refusal = deps.isOutdated() ? outdatedRefusal(request) : requestRefusal(request);
    const isHidden = !request.is404 && isOnMerchantHost(request) && !isForPayers(request);
    if (refusal === undefined && isHidden) reply.callNotFound();
    else done(refusal);
  });
  endConnectionsOnDrain(app, deps.isDraining);
  app.addHook('onRoute', guardRoutes(deps, routes));
  app.addHook('onRoute', route => {
    const description = describeRoute(route);
    if (description !== null) descriptions.push(description);
  });
  app.setNotFoundHandler(createNotFoundHandler(routes, deps, isOnMerchantHost));
  parseJsonOnly(app);
  app.setErrorHandler(handleError);
  app.addHook('onResponse', (request, reply, done) => {
    deps.observe(request, reply);
    done();
  });
  return { http: app, descriptions };
}

/** Sets the security headers of a response. */
function createSecuring(deps: HttpDeps, isOnMerchantHost: (request: FastifyRequest) => boolean) {
  return (reply: FastifyReply, request: FastifyRequest): void => {
    reply.headers(basic).header('request-id', request.id);
    if (!deps.publicUrl().startsWith('https:')) return;
    // The service must not force https on the subdomains of a merchant's domain.
    const isOwn = !isOnMerchantHost(request);
    reply.header('strict-transport-security', isOwn ? `${transport}; includeSubDomains` : transport);
  };
}

function decorateRequests(app: HttpApp): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('rawBody', null);
  app.decorateRequest('hasJsonBody', false);
  app.decorateRequest('asker', null);
  app.decorateRequest('refusal', null);
}

/** While the server stops, the response to the newest request of a connection closes the connection. */
function endConnectionsOnDrain(app: HttpApp, isDraining: () => boolean): void {
  const newest = new WeakMap<object, FastifyRequest>();
  app.addHook('onRequest', (request, _, done) => {
    newest.set(request.raw.socket, request);
    done();
  });
  app.addHook('onSend', (request, reply, _, done) => {
    if (isDraining() && newest.get(request.raw.socket) === request) reply.header('connection', 'close');
    done();
  });
}

/** The error for requests after a newer server has changed the database. Routes with `always` still respond. */
function outdatedRefusal(request: FastifyRequest): PayError | undefined {
  if (request.routeOptions.config?.always === true) return undefined;
  const message = 'A newer version of the service has changed the database. Use a server that runs that version.';
  return new PayError('unavailable', message, { retryAfterSeconds: 5 });
}

/** The error for an API version that does not exist. */
function versionRefusal({ url, headers }: FastifyRequest): PayError | undefined {
  const version = headers['pay-version'];
  if (version === undefined || !url.startsWith('/v1/') || apiVersions.includes(String(version))) return undefined;
  const message = `The API has no version “${String(version).slice(0, 40)}”. Send one of ${apiVersions.join(', ')}, or none.`;
  return new PayError('api_version_unsupported', message, { param: 'Pay-Version' });
}

/** The error for a request that must not reach any route, or undefined. */
function requestRefusal(request: FastifyRequest): PayError | undefined {
  return hostRefusal(request) ?? nulRefusal(request) ?? versionRefusal(request);
}

/** The error for several `Host` headers. A proxy and this server could use different ones (RFC 9112 §3.2). */
function hostRefusal({ raw }: FastifyRequest): PayError | undefined {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
  if (hosts.length <= 1) return undefined;
  return new PayError('malformed_request', 'Send the header Host once.');
}

/** The error for a URL with a NUL character, which PostgreSQL text cannot contain. */
function nulRefusal(request: FastifyRequest): PayError | undefined {
  if (request.is404 || !request.url.includes('%00')) return undefined;
  if (pathOf(request).includes('%00')) {
    return new PayError('resource_missing', 'There is no object with this id.', { param: 'id' });
  }
  return new PayError('parameter_invalid', 'The query must not contain NUL characters.');
}

const limits = {
  bodyLimit: mebibyte,
  // Ends connections of slow clients: headers must arrive within 6 s, the whole request within 30 s.
  requestTimeout: 30_000,
  http: { headersTimeout: 6_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 16_384 },
  keepAliveTimeout: 65_000,
  routerOptions: { maxParamLength: 256 },
} as const;

/** Adds authentication to each route that is not public. Throws Error for an API route without declared access. */
function guardRoutes({ auth, scopes }: HttpDeps, routes: RouteTable) {
  const authenticator = createAuthenticator(auth);
  const isUnknown = (access: Access) => isForGuests(access) && !auth.guests.has(access);
  const rolesOf = (scope: string | undefined) => (scope === undefined ? null : scopes.rolesOf(scope));
  return (route: RouteOptions): void => {
    const { access, scope, roles = rolesOf(scope), maxBody, isKeyInBody: isInBody = false } = route.config ?? {};
    if (access === undefined && route.url.startsWith('/v1/')) {
      throw new Error(`${route.method} ${route.url} must state in its config which callers may use it (access)`);
    }
    if (scope !== undefined && !isScope(scopes.families, scope)) {
      throw new Error(`${route.method} ${route.url} requires the scope ${scope}, which no key can have`);
    }
    if (access !== undefined && isUnknown(access)) {
      throw new Error(`${route.method} ${route.url} admits guests of the kind ${access}, which no module brings`);
    }
    routes.add(route);
    if (maxBody !== undefined) route.bodyLimit = maxBody;
    if (access !== undefined && access !== 'public') {
      const hook = isInBody ? 'preHandler' : 'onRequest';
      if (roles === null)
        throw new Error(`${route.method} ${route.url} must state a scope, or the roles that may call it`);
      route[hook] = [authenticator({ access, scope, roles, isInBody }), ...[route[hook] ?? []].flat()];
    }
  };
}

function createNotFoundHandler(
  routes: RouteTable,
  { auth, showNotFound }: Pick<HttpDeps, 'auth' | 'showNotFound'>,
  isOnMerchantHost: (request: FastifyRequest) => boolean,
) {
  const headers = [...auth.guests.values()].flatMap(({ secret }) => secret?.header ?? []);
  const preflight = createPreflight(routes, headers);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request);
    const methods = routes.methodsOf(path);
    // The handler is also called for a missing file, although the file's path has a route.
    const isNothing = methods.length === 0 || methods.includes(request.method);
    if (isNothing && asksForPage(request) && !path.startsWith('/v1/')) {
      return await showNotFound(reply, !isOnMerchantHost(request));
    }
    if (isNothing) throw new PayError('route_not_found', `The address ${path.slice(0, 200)} does not exist.`);
    if (request.method === 'OPTIONS') return preflight(request, reply);
    reply.header('allow', [...methods, 'OPTIONS'].join(', '));
    throw new PayError('method_not_allowed', `This address supports ${methods.join(', ')}, not ${request.method}.`);
  };
}

function parseJsonOnly(app: HttpApp): void {
  app.removeAllContentTypeParsers();
  parseJson(app, 'application/json');
}

/** Reads bodies of the media type as JSON objects. */
export function parseJson(app: HttpApp, mediaType: string): void {
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      request.rawBody = bytes as Buffer;
      request.hasJsonBody = bytes.length > 0;
      done(null, bytes.length === 0 ? undefined : parseJsonObject(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** By default, a browser may load nothing for a response. Pages override these headers. */
const basic = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'cache-control': 'no-store',
} as const;

const transport = 'max-age=31536000';

/** Maximum milliseconds for which a stopping server finishes open requests. */
const drainMs = 7_000;

/** Milliseconds for which a stopping server still waits for requests on its way. */
const lastCallMs = 100;
/** A turn of the event loop that takes longer may have left requests unread, in milliseconds. */
const quickTurnMs = 10;

/**
 * Stops the server gracefully. A connection that looks idle may hold an unread request. Such connections are therefore
 * closed only just after Node has read all sockets, in a turn of the event loop that was quick.
 */
export async function closeGently(http: HttpApp): Promise<void> {
  await sleep(lastCallMs);
  await quietTurn();
  const deadline = setTimeout(() => http.server.closeAllConnections(), drainMs);
  let isClosed = false;
  const closed = http.close().finally(() => {
    isClosed = true;
  });
  while (!isClosed) {
    http.server.closeIdleConnections();
    await Promise.race([closed, sleep(50)]);
    await quietTurn();
  }
  clearTimeout(deadline);
  await closed;
}

/** Resolves just after the sockets were read, in a quick turn. On a busy server, after the tenth turn. */
async function quietTurn(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    const began = performance.now();
    // Node runs timers before it reads sockets. `nextTurn` resolves after the sockets were read.
    await nextTurn();
    if (turn > 0 && performance.now() - began < quickTurnMs) return;
  }
}

/** The URL at which this machine reaches the server. Null before the server listens. */
export function ownUrlOf({ server }: HttpApp): string | null {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return null;
  const { address, family, port } = bound;
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
