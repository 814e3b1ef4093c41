import { type Static, Type } from 'typebox';
import { ApiRequest } from '../../../../api/dashboard/request.ts';
import { ListOf, ListQuery, OneOf, rangeParameters } from '../../../../api/schema.ts';
import type { Db } from '../../db/database.ts';
import { callerOf, scopeOf } from '../access/caller.ts';
import type { HttpApp } from '../http-app.ts';
import { listAnswer, parseListQuery, readRange } from '../list.ts';
import { type CallRow, listCalls, readCall } from './call.store.ts';
import type { CallLog } from './call-log.ts';

export interface CallDeps {
  readonly db: Db;
  readonly callLog: CallLog;
}

const Status = Type.Integer({ minimum: 100, maximum: 599 });
const ListCallsQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional(Status),
  ...rangeParameters('status', Status),
  method: Type.Optional(Type.String({ maxLength: 10 })),
  path: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ maxLength: 60, description: 'The code of the error.' })),
  key: Type.Optional(Type.String({ maxLength: 64, description: 'Id of an API key.' })),
  person: Type.Optional(Type.String({ maxLength: 64, description: 'Id of a person of the dashboard.' })),
  via: Type.Optional(
    OneOf(['api', 'dashboard'], {
      description: '`api`: calls of keys and payers. `dashboard`: calls of people in a session of the dashboard.',
    }),
  ),
});

const path = '/v1/requests';
const tags = ['Requests'];
const config = { access: 'secret', scope: 'requests:read' } as const;

/** `/v1/requests`: the calls of the last 30 days. */
export function registerCallRoutes(app: HttpApp, { db, callLog }: CallDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: ListCallsQuery,
        response: { 200: ListOf(ApiRequest) },
        tags,
        summary: 'List API calls',
        description:
          'Calls by your keys and people, kept for 30 days, and refused calls of payers. A call appears within two ' +
          'seconds of its answer. Bodies, queries, header values and client secrets are never kept.',
      },
      config,
    },
    async request => {
      // Writes this process's calls first, so that the list contains them.
      await callLog.flush();
      const { query } = request;
      const page = await listCalls(db, scopeOf(callerOf(request)), filtersOf(query), parseListQuery(query));
      return listAnswer(path, page, callToWire);
    },
  );
  app.get(
    `${path}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: ApiRequest },
        tags,
        summary: 'Read an API call by its Request-Id',
      },
      config,
    },
    async request => {
      await callLog.flush();
      return callToWire(await readCall(db, scopeOf(callerOf(request)), request.params.id));
    },
  );
}

function filtersOf(query: Static<typeof ListCallsQuery>) {
  const { status, method, path, code, key: key_id, person: person_id, via } = query;
  const exact =
    status === undefined
      ? []
      : [{ operator: '>=', value: BigInt(status) } as const, { operator: '<=', value: BigInt(status) } as const];
  return {
    via,
    equal: { method: method?.toUpperCase(), path, code, key_id, person_id },
    status: [...exact, ...readRange(query, 'status', value => BigInt(value as number))],
  };
}

function callToWire(row: CallRow): ApiRequest {
  return {
    id: row.id,
    object: 'request',
    method: row.method,
    path: row.path,
    status: row.status,
    error: row.code === null ? null : { code: row.code, param: row.param },
    key: row.key_id,
    person: row.person_id,
    duration_ms: row.duration_ms,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
