import { Type } from 'typebox';
import { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import { Deleted, ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf, hasScope, isScope, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  listApiKeys,
  newApiKey,
  newKeyText,
  revokeApiKey,
} from './api-key.store.ts';
import type { KeyDirectory } from './key-directory.ts';

export interface ApiKeyDeps {
  readonly db: Db;
  readonly once: Once;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** The scope families that the modules declare. */
  readonly scopeFamilies: readonly string[];
}

const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['API keys'];

/** `/v1/api-keys`: creates, lists, reads and revokes keys of the caller's mode. */
export function registerApiKeyRoutes(app: HttpApp, deps: ApiKeyDeps): void {
  registerKeyReads(app, deps);
  app.post(
    '/v1/api-keys',
    {
      schema: {
        body: CreateApiKey,
        response: { 201: ApiKey },
        tags,
        summary: 'Make an API key',
        description: 'Only this response contains the key. The service stores only its hash.',
      },
      config: { access: 'secret', scope: 'api_keys:write' },
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const { key, text } = draftKey(callerOf(request), request.body, deps.scopeFamilies);
        return execution.commit(async tx => {
          await insertApiKey(tx, key);
          return { status: 201, body: apiKeyToWire(key, text), location: `/v1/api-keys/${key.id}`, resourceId: key.id };
        });
      }),
  );
  app.delete(
    '/v1/api-keys/:id',
    {
      schema: { params: IdParams, response: { 200: Deleted }, tags, summary: 'Revoke an API key' },
      config: { access: 'secret', scope: 'api_keys:write' },
    },
    async request => {
      const caller = callerOf(request);
      const { id } = request.params;
      const outcome = await deps.db.transaction().execute(tx => revokeApiKey(tx, scopeOf(caller), id, caller.now));
      if (outcome === 'missing') throw noSuchKey();
      if (outcome === 'last') {
        throw new PayError('last_key', 'This is the last secret key of its mode. Create another one first.');
      }
      deps.keys.forget(caller.merchant.id);
      return { id, object: 'api_key', deleted: true };
    },
  );
}

function registerKeyReads(app: HttpApp, { db }: ApiKeyDeps): void {
  const config = { access: 'secret', scope: 'api_keys:read' } as const;
  app.get(
    '/v1/api-keys',
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(ApiKey) }, tags, summary: 'List API keys' },
      config,
    },
    async request => {
      const page = await listApiKeys(db, scopeOf(callerOf(request)), parseListQuery(request.query));
      return listAnswer('/v1/api-keys', page, key => apiKeyToWire(key));
    },
  );
  app.get(
    '/v1/api-keys/:id',
    { schema: { params: IdParams, response: { 200: ApiKey }, tags, summary: 'Read an API key' }, config },
    async request => {
      const key = await findApiKey(db, scopeOf(callerOf(request)), request.params.id);
      if (key === null) throw noSuchKey();
      return apiKeyToWire(key);
    },
  );
}

function noSuchKey(): PayError {
  return new PayError('resource_missing', 'There is no API key with this id.', { param: 'id' });
}

/** The key in its wire form. `text` only for a new key. */
function apiKeyToWire(key: ApiKeyRow, text?: string): ApiKey {
  const { id, type, name, hint, scopes, livemode, created_at: createdAt } = key;
  const made = text !== undefined && { key: text };
  return { id, object: 'api_key', type, name, ...made, hint, scopes, livemode, created_at: createdAt.toISOString() };
}

/** Drafts a new key in the caller's mode. A secret key may only have scopes of the caller's key. */
function draftKey(caller: Caller, body: CreateApiKey, families: readonly string[]): { key: ApiKeyRow; text: string } {
  const { livemode, merchant, now } = caller;
  if (body.livemode !== undefined && body.livemode !== livemode) {
    throw new PayError('operation_not_allowed', 'Use a key of the same mode as the new key.', {
      param: 'livemode',
    });
  }
  const { type, name = null } = body;
  const scopes = type === 'publishable' ? ['*'] : (body.scopes ?? ['*']);
  assertScopes(families, scopes);
  const missing = type === 'secret' ? scopes.find(scope => !hasScope(caller.scopes, scope)) : undefined;
  if (missing !== undefined) {
    const message = `This key lacks the scope ${missing}, so it cannot grant it to another key.`;
    throw new PayError('operation_not_allowed', message, { param: 'scopes' });
  }
  const text = newKeyText(type, livemode);
  return { key: newApiKey(text, { merchant_id: merchant.id, type, livemode, name, scopes, created_at: now }), text };
}

function assertScopes(families: readonly string[], scopes: readonly string[]): void {
  const index = scopes.findIndex(scope => !isScope(families, scope));
  if (index === -1) return;
  const message = `There is no scope "${scopes[index]}". Scopes are * or one of ${families.join(', ')} with :read or :write.`;
  throw new PayError('parameter_invalid', message, { param: `scopes[${index}]` });
}
