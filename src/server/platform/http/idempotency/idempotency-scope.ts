import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../../core/error.ts';
import { type Caller, callerOf, pathOf, scopeOf } from '../access/caller.ts';
import { visitorOf } from '../access/visitor.ts';
import { canonicalJson } from './canonical-json.ts';
import type { IdempotencyScope } from './idempotency.store.ts';

/**
 * The scope in which the answer is stored, or null without an `Idempotency-Key`. Throws PayError
 * `invalid_idempotency_key`.
 */
export function idempotencyScope(request: FastifyRequest): IdempotencyScope | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw new PayError('invalid_idempotency_key', 'Idempotency-Key takes 1 to 255 printable ASCII characters.', {
      param: 'Idempotency-Key',
    });
  }
  const caller = callerOf(request);
  const path = credentialPrefix(caller, request) + routeOf(request);
  const { keepsAnswersDays: days, shownOnce } = request.routeOptions.config;
  return {
    ...scopeOf(caller),
    path,
    key,
    fingerprint: fingerprintOf(request),
    caller: caller.kind === 'secret' ? caller.keyId : null,
    ...(shownOnce !== undefined && { shownOnce }),
    ...(days !== undefined && { keptSeconds: days * secondsADay }),
  };
}

const secondsADay = 86_400;

/** The decoded path in one spelling, because the router treats `/v1/%70ayments` like `/v1/payments`. */
function routeOf(request: FastifyRequest): string {
  const path = pathOf(request);
  if (!path.includes('%')) return path;
  return path
    .split('/')
    .map(part => encodeURIComponent(decodeURIComponent(part)))
    .join('/');
}

/** SHA-256 of method, path and body. JSON bodies are compared as values, so the order of keys does not matter. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(`${request.method} ${routeOf(request)}\n`);
  const { rawBody } = request;
  if (rawBody === null) return hash.digest();
  return hash.update(request.hasJsonBody ? canonicalJson(JSON.parse(rawBody.toString('utf8'))) : rawBody).digest();
}

/**
 * A prefix of the path. It separates the keys of each payer and visitor from those of the merchant's server, because
 * answers may contain secrets. Visitors with a publishable key or a link's id are identified by network and browser. A
 * repetition from another network creates a second payment, which is harmless unless it is paid.
 */
function credentialPrefix({ kind, keyId, objectId }: Caller, request: FastifyRequest): string {
  if (kind === 'secret') return '';
  if (objectId !== null) return `${kind} ${objectId} `;
  const visitor = createHash('sha256').update(visitorOf(request).browser).digest('base64url').slice(0, 22);
  return `${kind} ${keyId} ${visitor} `;
}
