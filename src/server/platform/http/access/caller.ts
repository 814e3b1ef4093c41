import type { FastifyRequest } from 'fastify';
import type { Merchant } from '../../merchant.ts';

/**
 * The caller: `secret` has a secret key, `publishable` a publishable key alone, `payer` the client secret of one
 * payment, `link` the id of a payment link.
 */
export interface Caller {
  readonly kind: 'secret' | 'publishable' | 'payer' | 'link';
  readonly merchant: Merchant;
  readonly livemode: boolean;
  readonly keyId: string | null;
  readonly scopes: readonly string[];
  /** The payment whose client secret was proved; null unless `payer`. */
  readonly paymentId: string | null;
  /** The browser origin the request came from, when it came from one. */
  readonly origin: string | null;
  /** The present moment on the caller's clock (the test clock in test mode). */
  readonly now: Date;
}

/**
 * Callers that a route admits. `secret`: secret keys; `test`: the same in test mode only; `payer`: also the client
 * secret of the payment `:id`; `create`: also publishable keys from an allowed origin; `link`: also anybody who knows
 * the payment link `:id`; `public`: anybody.
 */
export type Access = 'secret' | 'payer' | 'create' | 'link' | 'test' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The scope a restricted secret key needs, for example `payments:write`. */
    scope?: string;
    /** Largest body in bytes where it differs from 1 MiB. */
    maxBody?: number;
    /** Requests are many and tell an operator nothing: they are in the log at `debug`, unless they fail. */
    chatty?: boolean;
    /** Answers also while the server must leave the database alone. */
    always?: boolean;
  }
  interface FastifyRequest {
    /** Null on public routes only; `callerOf` gives it without null. */
    caller: Caller | null;
    /** The body's bytes as they came, for fingerprints; null where there was no body. */
    rawBody: Buffer | null;
  }
}

/** The caller of a route whose access is not `public`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`route ${request.routeOptions.url} is public and has no caller`);
  return request.caller;
}

/** The path asked for, without the query. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end === -1 ? request.url : request.url.slice(0, end);
}

/** What a key may do: `secret` keys everything of their scopes, `publishable` ones what is safe in a browser. */
export type ApiKeyType = 'secret' | 'publishable';

/** Type and mode of what looks like a key, or null. Says nothing about whether the key exists. */
export function parseKeyText(text: string): { readonly type: ApiKeyType; readonly livemode: boolean } | null {
  const match = /^([sp])k_(test|live)_[0-9A-Za-z]{16,120}$/.exec(text);
  return match === null ? null : { type: match[1] === 's' ? 'secret' : 'publishable', livemode: match[2] === 'live' };
}

/** Whether the scopes of a key include the one a route needs. Who may write may read. */
export function hasScope(scopes: readonly string[], needed: string): boolean {
  if (scopes.includes('*') || scopes.includes(needed)) return true;
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write'));
}

/** Whether there is such a scope: `*`, or one of the families with `:read` or `:write`. */
export function isScope(families: readonly string[], text: string): boolean {
  const [family = '', action, ...rest] = text.split(':');
  if (text === '*') return true;
  const isAction = action === 'read' || action === 'write';
  return isAction && rest.length === 0 && families.includes(family);
}
