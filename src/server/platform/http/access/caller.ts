import type { FastifyRequest } from 'fastify';
import type { Merchant, MerchantScope } from '../../merchant.ts';
import type { GuestKinds } from './guest.ts';
import type { CallingPerson, Role, Scopes } from './roles.ts';

/**
 * The caller. `secret` has a secret key or a dashboard session. `publishable` has only a publishable key. Modules bring
 * further kinds, which have access to one object only.
 */
export interface Caller {
  readonly kind: 'secret' | 'publishable' | keyof GuestKinds;
  readonly merchant: Merchant;
  readonly livemode: boolean;
  /** The id of the key, or of the person in a dashboard session. */
  readonly keyId: string | null;
  readonly scopes: readonly string[];
  /** The object of the guest's secret. Null for callers of other kinds, and for guests without a secret. */
  readonly objectId: string | null;
  /** The person in a dashboard session. */
  readonly person?: CallingPerson;
  /** The origin of a browser request, or null. */
  readonly origin: string | null;
  /** The current time on the merchant's clock, which is the test clock in test mode. */
  readonly now: Date;
}

/**
 * Callers that a route admits. `secret`: secret keys. `test`: secret keys in test mode only. `public`: all callers.
 * `person`: dashboard sessions only. `create`: secret keys, and publishable keys from an allowed origin. A kind of
 * guest: secret keys, and guests of this kind with access to the object `:id`. A dashboard session counts as a secret
 * key with the rights of its person's role.
 */
export type Access = OwnAccess | keyof GuestKinds;

const ownAccesses = ['secret', 'test', 'public', 'person', 'create'] as const;
type OwnAccess = (typeof ownAccesses)[number];

/** Whether the route is for guests of a kind, which a module brings. */
export function isForGuests(access: Access): access is keyof GuestKinds {
  return !(ownAccesses as readonly string[]).includes(access);
}

/** Whether pages of the merchant's origins may call the route. */
export function isForBrowsers(access: Access): boolean {
  return access === 'create' || isForGuests(access);
}

/** Whether the caller is a payer or visitor without a key of its own. */
export function isGuest({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind !== 'secret' && kind !== 'publishable';
}

/** A known key or person. */
export interface Asker extends MerchantScope {
  readonly keyId: string | null;
  readonly personId: string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Whether merchants' domains serve the route. They also serve routes that admit guests. */
    underDomains?: boolean;
    /** The scope that a restricted secret key needs, for example `payments:write`. */
    scope?: string;
    /** The roles whose people may make the call in a dashboard session. Default: the roles that have the scope. */
    roles?: readonly Role[];
    /** Whether key and client secret are in the body (see `CheckoutAccess`). */
    isKeyInBody?: boolean;
    /** Maximum body in bytes. Default: 1 MiB. */
    maxBody?: number;
    /** Whether the audit log has each call of a person, although the call only reads. */
    audited?: boolean;
    /** The field of the response with a secret that is shown once. The stored response lacks it. */
    shownOnce?: string;
    /** Fields with secrets that each response derives from the created object. The stored response lacks them. */
    derives?: (created: { readonly id: string }, caller: Caller) => Readonly<Record<string, string>>;
    /** Whether the POST ignores `Idempotency-Key`: it writes nothing, or proves who a person is. */
    ignoresKey?: boolean;
    /** Days for which the service stores the response to a request with an `Idempotency-Key`. Default: 1. */
    keepsAnswersDays?: number;
    /** Logs successful requests only at `debug`, because they are frequent and unimportant for operators. */
    chatty?: boolean;
    /** Also responds while the server must not use the database (see `schema-watch.ts`). */
    always?: boolean;
  }
  interface FastifyRequest {
    /** The caller. Null on public routes, and if authentication fails. In handlers of other routes, use `callerOf`. */
    caller: Caller | null;
    /** The request's key or session, even if the request is refused. Null without a valid key or session. */
    asker: Asker | null;
    /** The error of the response, or null. */
    refusal: { readonly code: string; readonly param: string | null } | null;
    /** The unchanged bytes of the body, to compare repeated requests. Null without a body. */
    rawBody: Buffer | null;
    /** Whether `rawBody` is JSON. */
    hasJsonBody: boolean;
  }
}

/** The caller of a route whose access is not `public`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`route ${request.routeOptions.url} is public and has no caller`);
  return request.caller;
}

/** The person of a route whose access is `person`. */
export function personOf(request: FastifyRequest): CallingPerson {
  const { person } = callerOf(request);
  if (person === undefined) throw new Error(`route ${request.routeOptions.url} does not require a person`);
  return person;
}

/** The merchant as the caller of work that the service does on its behalf. `keyId`: who ordered the work, or null. */
export function merchantCaller({
  merchant,
  livemode,
  now,
  keyId = null,
}: Pick<Caller, 'merchant' | 'livemode' | 'now'> & Partial<Pick<Caller, 'keyId'>>): Caller {
  return { kind: 'secret', merchant, livemode, now, keyId, scopes: [], objectId: null, origin: null };
}

/** The merchant and mode whose rows the caller may read. */
export function scopeOf({ merchant, livemode }: Pick<Caller, 'merchant' | 'livemode'>): MerchantScope {
  return { merchantId: merchant.id, livemode };
}

/** The path of the request without the query. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end === -1 ? request.url : request.url.slice(0, end);
}

/** `secret` keys may make all requests of their scopes, `publishable` keys only those that are safe in browsers. */
export type ApiKeyType = 'secret' | 'publishable';

/** Type and mode of a text in the form of a key, or null. The key need not exist. */
export function parseKeyText(text: string): { readonly type: ApiKeyType; readonly livemode: boolean } | null {
  const match = /^([sp])k_(test|live)_[0-9A-Za-z]{16,120}$/.exec(text);
  return match === null ? null : { type: match[1] === 's' ? 'secret' : 'publishable', livemode: match[2] === 'live' };
}

/** Whether a key's scopes include the needed scope. A key that may write may also read. */
export function hasScope(scopes: readonly string[], needed: string): boolean {
  if (scopes.includes('*') || scopes.includes(needed)) return true;
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write'));
}

/** Whether the caller may read objects of the scope: its key has the scope, and the role of its person has it too. */
export function mayRead(scopes: Scopes, caller: Caller, scope: string): boolean {
  if (!hasScope(caller.scopes, scope)) return false;
  return caller.person === undefined || scopes.rolesOf(scope)?.includes(caller.person.role) === true;
}

/** Whether the scope exists: `*`, or a family with `:read` or `:write`. */
export function isScope(families: readonly string[], text: string): boolean {
  const [family = '', action, ...rest] = text.split(':');
  if (text === '*') return true;
  const isAction = action === 'read' || action === 'write';
  return isAction && rest.length === 0 && families.includes(family);
}
