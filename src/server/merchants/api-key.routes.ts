import { Type } from 'typebox';
import { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import { Deleted, ListOf, ListQuery } from '../../api/schema.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { Scopes } from '../platform/http/access/roles.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { findApiKey, insertApiKey, listApiKeys, personBehind, revokeApiKey } from './api-key.store.ts';
import { apiKeyToWire, assertRevoked, draftKey, type KeyOwner, noSuchKey } from './api-key.ts';
import type { KeyDirectory } from './key-directory.ts';

export interface ApiKeyDeps {
  readonly db: Db;
  readonly once: Once;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** The scopes that the modules declare. */
  readonly scopes: Scopes;
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
        description:
          'Only this response contains `key`. The service stores only its hash. A repetition with the same Idempotency-Key ' +
          'lacks it and has the header `Pay-Secret-Omitted: key`.',
      },
      config: { access: 'secret', scope: 'api_keys:write', shownOnce: 'key' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const personId = await personBehind(deps.db, caller.merchant.id, caller.keyId);
        const { key, text } = draftKey({ ...ownerOf(deps, caller), personId }, request.body, deps.scopes.families);
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
      assertRevoked(outcome);
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

function ownerOf(
  deps: Pick<ApiKeyDeps, 'scopes'>,
  { merchant, livemode, scopes: own, person, now }: Caller,
): Omit<KeyOwner, 'personId'> {
  const scopes = person === undefined ? own : deps.scopes.grantable(person.role, livemode);
  return { merchantId: merchant.id, livemode, scopes, now };
}
