import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiKey as ApiKeySchema, CreateApiKey } from '../../api/merchant.ts';
import { Deleted, ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf } from '../platform/http/access/caller.ts';
import { hasScope } from '../platform/http/access/key-text.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { hashKey } from '../platform/secrets.ts';
import { findApiKey, insertApiKey, listApiKeys, revokeApiKey } from './api-key.store.ts';
import { type ApiKey, apiKeyToWire, assertScopes, keyHint, newKeyText } from './api-key.ts';
import type { KeyDirectory } from './key-directory.ts';

/** What the key routes need. */
export interface ApiKeyDeps {
  readonly db: Db;
  readonly once: Once;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** The families of scopes that the modules declare. */
  readonly scopeFamilies: readonly string[];
}

interface ById {
  Params: { id: string };
}

const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['API keys'];

/** `/v1/api-keys`: make, list, read and revoke the keys of the caller's mode. */
export function registerApiKeyRoutes(app: FastifyInstance, deps: ApiKeyDeps): void {
  registerKeyReads(app, deps);
  app.post<{ Body: CreateApiKey }>(
    '/v1/api-keys',
    {
      schema: {
        body: CreateApiKey,
        response: { 201: ApiKeySchema },
        tags,
        summary: 'Make an API key',
        description: 'The answer holds the key itself. It is not kept: only its hash is.',
      },
      config: { access: 'secret', scope: 'api_keys:write' },
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const { key, text } = draftKey(callerOf(request), request.body, deps.scopeFamilies);
        return execution.commit(async tx => {
          await insertApiKey(tx, key, hashKey(text));
          return { status: 201, body: apiKeyToWire(key, text), location: `/v1/api-keys/${key.id}`, resourceId: key.id };
        });
      }),
  );
  app.delete<ById>(
    '/v1/api-keys/:id',
    {
      schema: { params: IdParams, response: { 200: Deleted }, tags, summary: 'Revoke an API key' },
      config: { access: 'secret', scope: 'api_keys:write' },
    },
    async request => {
      const { merchant, livemode, now } = callerOf(request);
      const target = { merchantId: merchant.id, livemode, keyId: request.params.id, now };
      const outcome = await deps.db.transaction().execute(tx => revokeApiKey(tx, target));
      if (outcome === 'missing') throw noSuchKey();
      if (outcome === 'last') {
        throw new PayError('last_key', 'This is the last secret key of its mode. Make another one first.');
      }
      deps.keys.forget(merchant.id);
      return { id: target.keyId, object: 'api_key', deleted: true };
    },
  );
}

function registerKeyReads(app: FastifyInstance, deps: ApiKeyDeps): void {
  const config = { access: 'secret', scope: 'api_keys:read' } as const;
  app.get(
    '/v1/api-keys',
    {
      schema: { querystring: ListQuery, response: { 200: ListOf(ApiKeySchema) }, tags, summary: 'List API keys' },
      config,
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const page = await listApiKeys(deps.db, { merchantId: merchant.id, livemode }, parseListQuery(request.query));
      return listAnswer('/v1/api-keys', page, key => apiKeyToWire(key));
    },
  );
  app.get<ById>(
    '/v1/api-keys/:id',
    { schema: { params: IdParams, response: { 200: ApiKeySchema }, tags, summary: 'Read an API key' }, config },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const key = await findApiKey(deps.db, { merchantId: merchant.id, livemode, keyId: request.params.id });
      if (key === null) throw noSuchKey();
      return apiKeyToWire(key);
    },
  );
}

function noSuchKey(): PayError {
  return new PayError('resource_missing', 'There is no API key with this id.', { param: 'id' });
}

/** A key never makes a stronger one, nor one of the other mode. */
function draftKey(caller: Caller, body: CreateApiKey, families: readonly string[]): { key: ApiKey; text: string } {
  const { livemode } = caller;
  if (body.livemode !== undefined && body.livemode !== livemode) {
    throw new PayError('operation_not_allowed', 'Use a key of the mode that the new key shall have.', {
      param: 'livemode',
    });
  }
  const scopes = body.type === 'publishable' ? ['*'] : (body.scopes ?? ['*']);
  assertScopes(families, scopes);
  const missing = body.type === 'secret' ? scopes.find(scope => !hasScope(caller.scopes, scope)) : undefined;
  if (missing !== undefined) {
    const message = `This key has not the scope ${missing} itself, so it cannot give it to another.`;
    throw new PayError('operation_not_allowed', message, { param: 'scopes' });
  }
  const text = newKeyText(body.type, livemode);
  const key = {
    id: newId('apiKey'),
    merchantId: caller.merchant.id,
    type: body.type,
    livemode,
    name: body.name ?? null,
    hint: keyHint(text),
    scopes,
    createdAt: caller.now,
  };
  return { key, text };
}
