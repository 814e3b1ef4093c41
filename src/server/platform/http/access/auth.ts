import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { CheckoutAccess } from '../../../../api/payment.ts';
import type { Clock } from '../../../../core/clock.ts';
import { PayError } from '../../../../core/error.ts';
import { type Merchant, merchantNow } from '../../merchant.ts';
import { sameText } from '../../secrets.ts';
import {
  type Access,
  type ApiKeyType,
  type Caller,
  hasScope,
  isForBrowsers,
  isForGuests,
  isGuest,
  parseKeyText,
} from './caller.ts';
import { allowOrigin, isOriginAllowed } from './cors.ts';
import type { GuestCredential, GuestSecret } from './guest.ts';
import { ownOrigins, type PageHosts, servesPagesOf } from './page-hosts.ts';
import { type GuessCounter, networkOf, type RateLimiter } from './rate-limit.ts';
import type { Role, Scopes } from './roles.ts';
import {
  assertOwnOrigin,
  isRead,
  modeOf,
  namesSession,
  type OpenSession,
  type Sessions,
  sessionToken,
} from './session-access.ts';

/** A valid API key and its merchant. */
export interface Credential {
  readonly key: {
    readonly id: string;
    /** The default API version for the key's calls. */
    readonly api_version: string;
    readonly type: ApiKeyType;
    readonly livemode: boolean;
    readonly scopes: readonly string[];
  };
  readonly merchant: Merchant;
}

/** Finds the credential for a key's text: `peek` in memory, `load` in the database. */
export interface Credentials {
  peek(text: string): Credential | undefined;
  load(text: string): Promise<Credential | null>;
}

export interface AuthDeps {
  readonly keys: Credentials;
  readonly clock: Clock;
  readonly scopes: Pick<Scopes, 'scopesOf'>;
  readonly publicUrl: () => string;
  readonly hosts: PageHosts;
  readonly sessions: Sessions;
  /** The kinds of guests that modules bring. */
  readonly guests: ReadonlyMap<string, GuestCredential>;
  /** Requests of each secret key, and of each person in dashboard sessions. */
  readonly keyLimit: RateLimiter;
  /** Requests of one network, counted separately for each publishable key and for each object of guests. */
  readonly clientLimit: RateLimiter;
  readonly wrongKeys: GuessCounter;
  /** Rejects test keys, because the server accepts real money. */
  readonly liveOnly: boolean;
}

/** The required access and scope of a route. */
interface Demand {
  readonly access: Exclude<Access, 'public'>;
  readonly scope: string | undefined;
  /** The roles of people that may make the call in a dashboard session. */
  readonly roles: readonly Role[];
  /** Whether the body contains the key and the client secret. Browsers then send no preflight request. */
  readonly isInBody: boolean;
}

type Identity = Omit<Caller, 'now'>;

/** A caller's proof. `token`: an API key or a guest's secret. `secret`: sent beside a key. `id`: the object's id. */
interface Proof {
  readonly token: string | undefined;
  readonly secret: string | undefined;
  readonly id: string;
}

interface Arrival {
  readonly demand: Demand;
  readonly proof: Proof;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Creates the hook that authenticates callers. For a key in memory, the usual case, no promise is created. */
export function createAuthenticator(deps: AuthDeps) {
  return (demand: Demand) =>
    (request: FastifyRequest, reply: FastifyReply, end: HookHandlerDoneFunction): void => {
      const arrival = {
        demand,
        proof: demand.isInBody ? proofInBody(request) : proofInHeaders(request, guestOf(deps, demand)?.secret?.header),
        request,
        reply,
      };
      const done = (error?: Error) => {
        if (error !== undefined) showToPage(arrival, error);
        end(error);
      };
      let found: Identity | Promise<Identity>;
      try {
        if (isForBrowsers(demand.access)) reply.header('vary', 'Origin');
        found = identify(deps, arrival);
        if (!(found instanceof Promise)) admit(deps, arrival, found);
      } catch (error) {
        done(error as Error);
        return;
      }
      if (found instanceof Promise) found.then(identity => admit(deps, arrival, identity)).then(() => done(), done);
      else done();
    };
}

/**
 * The errors that pages of every origin may read, because only their developer can correct them. Without a valid key,
 * the merchant's allowed origins are unknown. A page whose origin is not allowed must learn that.
 */
const shownToEveryPage: ReadonlySet<string> = new Set(['invalid_api_key', 'origin_not_allowed']);

function showToPage({ demand, request, reply }: Arrival, error: Error): void {
  const { origin } = request.headers;
  const isShown = error instanceof PayError && shownToEveryPage.has(error.code);
  if (isShown && origin !== undefined && isForBrowsers(demand.access)) allowOrigin(reply, origin);
}

/** The credential of the guests that the route admits. */
function guestOf({ guests }: AuthDeps, { access }: Demand): GuestCredential | undefined {
  return guests.get(access);
}

function proofInHeaders({ headers, params }: FastifyRequest, header: string | undefined): Proof {
  const secret = header === undefined ? undefined : headers[header.toLowerCase()];
  return {
    token: /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '')?.[1],
    secret: typeof secret === 'string' ? secret : undefined,
    id: (params as { id?: string }).id ?? '',
  };
}

function proofInBody({ body }: FastifyRequest): Proof {
  const { api_key: key, client_secret: secret, payment } = body as CheckoutAccess;
  return { token: key ?? secret, secret, id: payment };
}

function identify(deps: AuthDeps, arrival: Arrival): Identity | Promise<Identity> {
  const { demand, request, proof } = arrival;
  const hasKey = request.headers.authorization !== undefined;
  const isById = guestOf(deps, demand)?.secret === null;
  if (isById && !hasKey && !namesSession(request)) return identifyById(deps, arrival);
  const session = hasKey || demand.isInBody ? undefined : sessionToken(request, deps.publicUrl());
  if (session !== undefined) return identifyBySession(deps, arrival, session);
  if (demand.access === 'person') throw hasKey ? sessionRequired() : signedOut();
  const { token } = proof;
  if (token === undefined) {
    throw new PayError('invalid_api_key', 'Send your API key in the header Authorization: Bearer <key>.');
  }
  for (const credential of deps.guests.values()) {
    const { secret } = credential;
    if (secret !== null && token.startsWith(secret.prefix)) return identifyBySecret(deps, arrival, credential, secret);
  }
  if (parseKeyText(token) === null) throw wrongKey(deps, arrival);
  const known = deps.keys.peek(token);
  if (known !== undefined) return identityOf(deps, arrival, known);
  return deps.keys.load(token).then(credential => {
    if (credential === null) throw wrongKey(deps, arrival);
    return identityOf(deps, arrival, credential);
  });
}

function wrongKey(deps: AuthDeps, arrival: Arrival): PayError {
  const error = new PayError('invalid_api_key', 'The API key does not exist or was revoked.');
  return countWrong(deps, arrival, error, 'with wrong API keys');
}

/** Counts a wrong key or link. Returns `error`, or the error 429 after too many from one IP address. */
function countWrong({ wrongKeys }: AuthDeps, { request }: Arrival, error: PayError, kind: string): PayError {
  const retryAfterSeconds = wrongKeys.count(request.ip);
  if (retryAfterSeconds === null) return error;
  return new PayError('rate_limited', `Too many requests ${kind} came from this address.`, { retryAfterSeconds });
}

function identityOf(deps: AuthDeps, arrival: Arrival, { key, merchant }: Credential): Identity {
  if (deps.liveOnly && !key.livemode) {
    throw new PayError('invalid_api_key', 'This server takes real money and refuses test keys. Use a live key.');
  }
  arrival.request.asker = { merchantId: merchant.id, livemode: key.livemode, keyId: key.id, personId: null };
  arrival.reply.header('pay-version', arrival.request.headers['pay-version'] ?? key.api_version);
  const origin = arrival.request.headers.origin ?? null;
  const identity = { merchant, livemode: key.livemode, keyId: key.id, scopes: key.scopes, objectId: null, origin };
  const isOriginListed = admitOrigin(deps, arrival, identity);
  if (key.type === 'secret') {
    assertSecretKeyMay(arrival.demand, key);
    return { ...identity, kind: 'secret' };
  }
  if (arrival.demand.access === 'create') {
    if (!isOriginListed) throw originRefused(origin);
    return { ...identity, kind: 'publishable' };
  }
  const credential = guestOf(deps, arrival.demand);
  if (credential === undefined) throw secretKeyRequired();
  if (credential.secret === null) return guest(arrival, identity, isOriginListed);
  return withSecret(arrival, identity, { ...credential, secret: credential.secret }, isOriginListed);
}

/** A guest with a publishable key and a secret. */
function withSecret(
  arrival: Arrival,
  identity: Omit<Identity, 'kind'>,
  credential: GuestCredential & { readonly secret: GuestSecret },
  isOriginListed: boolean,
): Identity {
  const { object, secret } = credential;
  const text = arrival.proof.secret;
  if (text === undefined)
    throw secretKeyRequired(`or the ${secret.name} of the ${object} in the header ${secret.header}`);
  const opened = secret.open(text);
  if (opened === null || opened.merchantId !== identity.merchant.id) throw secretMismatch(credential);
  return guestOfObject(arrival, credential, { ...identity, objectId: opened.id }, isOriginListed);
}

/** A guest with a secret alone. */
function identifyBySecret(
  deps: AuthDeps,
  arrival: Arrival,
  credential: GuestCredential,
  secret: GuestSecret,
): Promise<Identity> {
  const opened = secret.open(arrival.proof.token ?? '');
  if (opened === null) throw wrongKey(deps, arrival);
  if (guestOf(deps, arrival.demand) !== credential) throw secretKeyRequired();
  return credential.find(opened.id, opened.merchantId).then(owner => {
    if (owner === null) {
      throw new PayError('resource_missing', `No ${credential.object} ${opened.id} exists.`, { param: 'id' });
    }
    const origin = arrival.request.headers.origin ?? null;
    const identity = { ...owner, keyId: null, scopes: [], objectId: opened.id, origin };
    return guestOfObject(arrival, credential, identity, admitOrigin(deps, arrival, identity));
  });
}

/** A dashboard session counts as a secret key with the rights of its person's role. */
async function identifyBySession(deps: AuthDeps, { demand, request }: Arrival, token: string): Promise<Identity> {
  assertOwnOrigin(request, deps.publicUrl());
  const livemode = modeOf(request, deps.liveOnly);
  const merchantId = request.headers['pay-merchant'];
  const session = await deps.sessions.open(token, typeof merchantId === 'string' ? merchantId : null);
  if (session === null) throw signedOut();
  request.asker = { merchantId: session.merchant.id, livemode, keyId: null, personId: session.personId };
  if (!isRead(request) && !sameText(deps.sessions.csrfToken(token), String(request.headers['x-csrf-token'] ?? ''))) {
    const message = 'Send the csrf_token of GET /v1/session in the header X-CSRF-Token.';
    throw new PayError('csrf_token_invalid', message, { param: 'X-CSRF-Token' });
  }
  assertRoleMay(demand, session, livemode);
  const { id, merchant, personId, isOperator, role } = session;
  const person = { id, personId, isOperator, role, token };
  const caller = { merchant, livemode, keyId: personId, scopes: deps.scopes.scopesOf(role), objectId: null, person };
  return { ...caller, kind: 'secret', origin: request.headers.origin ?? null };
}

function assertRoleMay(demand: Demand, { role }: OpenSession, livemode: boolean): void {
  if (demand.access === 'test' && livemode) throw testModeOnly();
  if (demand.roles.includes(role)) return;
  const message = `The role ${role} may not do this. It takes the role ${demand.roles.toReversed().join(', ')}.`;
  throw new PayError('role_not_allowed', message);
}

/** The object's id is the credential. Too many wrong ids from one IP address get the response 429, like wrong keys. */
async function identifyById(deps: AuthDeps, arrival: Arrival): Promise<Identity> {
  const { id } = arrival.proof;
  const credential = guestOf(deps, arrival.demand);
  const owner = await credential?.find(id, null);
  const origin = arrival.request.headers.origin ?? null;
  if (owner == null || (deps.liveOnly && !owner.livemode)) {
    // Pages of every origin may read that the object does not exist.
    if (origin !== null) allowOrigin(arrival.reply, origin);
    const message = `No ${credential?.object} ${id.slice(0, 64)} exists. Check the id.`;
    const error = new PayError('resource_missing', message, { param: 'id' });
    throw countWrong(deps, arrival, error, `for ${credential?.object}s that do not exist`);
  }
  const identity = { ...owner, keyId: null, scopes: [], objectId: null, origin };
  return guest(arrival, identity, admitOrigin(deps, arrival, identity));
}

/** The guest that the route admits. Throws `origin_not_allowed` for a page of another origin. */
function guest({ demand: { access } }: Arrival, identity: Omit<Identity, 'kind'>, isOriginListed: boolean): Identity {
  if (identity.origin !== null && !isOriginListed) throw originRefused(identity.origin);
  if (!isForGuests(access)) throw secretKeyRequired();
  return { ...identity, kind: access };
}

/** The guest whose secret belongs to the object of the path. */
function guestOfObject(
  arrival: Arrival,
  credential: GuestCredential,
  identity: Omit<Identity, 'kind'>,
  isOriginListed: boolean,
): Identity {
  const found = guest(arrival, identity, isOriginListed);
  if (arrival.proof.id !== identity.objectId) throw secretMismatch(credential);
  return found;
}

/** If the origin is allowed, lets its pages read the response. Returns whether the origin is allowed. */
function admitOrigin(deps: AuthDeps, { demand, reply }: Arrival, identity: Omit<Identity, 'kind'>): boolean {
  if (identity.origin === null || !isForBrowsers(demand.access)) return false;
  if (!isOriginAllowed(identity.origin, identity, ownOrigins(deps, identity.merchant.id))) return false;
  allowOrigin(reply, identity.origin);
  return true;
}

function assertSecretKeyMay(demand: Demand, key: Credential['key']): void {
  if (demand.access === 'test' && key.livemode) throw testModeOnly();
  if (demand.scope !== undefined && !hasScope(key.scopes, demand.scope)) {
    throw new PayError('operation_not_allowed', `This key lacks the scope ${demand.scope}.`);
  }
}

function testModeOnly(): PayError {
  const message = 'This call exists in test mode only. Use a key that begins with sk_test_, or Pay-Mode: test.';
  return new PayError('test_mode_only', message);
}

function sessionRequired(): PayError {
  return new PayError('session_required', 'This call needs a person who is signed in to the dashboard, not a key.');
}

function signedOut(): PayError {
  return new PayError('invalid_session', 'You are signed out. Sign in again.');
}

function secretKeyRequired(instead?: string): PayError {
  const hint = instead === undefined ? '' : `, ${instead}`;
  return new PayError('secret_key_required', `This call needs a secret key, from your server${hint}.`);
}

function secretMismatch({ object, secret }: GuestCredential): PayError {
  return new PayError('client_secret_mismatch', `The ${secret?.name} does not belong to this ${object}.`);
}

function originRefused(origin: string | null): PayError {
  return new PayError('origin_not_allowed', originText(origin));
}

function originText(origin: string | null): string {
  if (origin === null) {
    return 'A publishable key creates payments from a web page of an allowed origin only. On a server, use a secret key.';
  }
  if (origin === 'null') {
    return 'This page has no origin. It is in a sandboxed iframe, or was opened as a file. Add allow-same-origin to the iframe’s sandbox attribute, or serve the page over http.';
  }
  const shown = origin.slice(0, 200);
  return `Pages of ${shown} may not take payments for this account. Add ${shown} to its allowed_origins, in the dashboard under Settings, Checkout, Allowed origins.`;
}

/** A merchant's domain serves the payers of this merchant only. Keys and sessions use the service's own host. */
function assertRightHost(deps: AuthDeps, request: FastifyRequest, identity: Identity): void {
  const { merchant, objectId } = identity;
  if (!servesPagesOf(deps, request, merchant.id)) {
    throw new PayError('resource_missing', `No payment ${objectId ?? ''} exists here.`, { param: 'id' });
  }
  if (deps.hosts.merchantOf(request.hostname) === null || isGuest(identity)) return;
  throw new PayError('route_not_found', 'A domain of a merchant serves no API. Use the address of the service.');
}

/** Counts the request in the caller's rate limit, and sets `request.caller`. */
function admit(deps: AuthDeps, { request, reply, proof }: Arrival, identity: Identity): void {
  assertRightHost(deps, request, identity);
  const isClient = identity.kind !== 'secret';
  const limiter = isClient ? deps.clientLimit : deps.keyLimit;
  const id = isClient
    ? `${identity.keyId ?? identity.objectId ?? proof.id} ${networkOf(request.ip)}`
    : (identity.keyId ?? '');
  const left = limiter.take(id);
  if (limiter.perSecond > 0) {
    reply.header('ratelimit-policy', `"default";q=${limiter.perSecond};w=1`);
    reply.header('ratelimit', `"default";r=${Math.max(left, 0)};t=1`);
  }
  if (left < 0) {
    throw new PayError('rate_limited', 'Too many requests. Slow down and try again.', { retryAfterSeconds: 1 });
  }
  const now = merchantNow(identity.merchant, identity.livemode, deps.clock.now());
  request.caller = { ...identity, now };
  reply.header('pay-server-time', now.toISOString());
}
