import type { Selectable, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { PayError } from '../../../../core/error.ts';
import type { Db } from '../../db/database.ts';
import { type Bound, type Page, type PageRequest, readPage } from '../../db/page.ts';
import { findRow, insertRows } from '../../db/rows.ts';
import type { Moment } from '../../db/tables.ts';
import type { MerchantScope } from '../../merchant.ts';

interface ApiRequestsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  method: string;
  path: string;
  status: number;
  code: string | null;
  param: string | null;
  key_id: string | null;
  person_id: string | null;
  duration_ms: number;
  created_at: Moment;
}

declare module '../../db/tables.ts' {
  interface Tables {
    api_requests: ApiRequestsTable;
  }
}

export type CallRow = Selectable<ApiRequestsTable>;

export async function insertCalls(db: Db, rows: readonly CallRow[]): Promise<void> {
  await insertRows(db, 'api_requests', rows, ['merchant_id', 'id']);
}

export interface CallFilters {
  readonly equal: Readonly<Partial<Record<'method' | 'path' | 'code' | 'key_id' | 'person_id', string | undefined>>>;
  readonly status: readonly Bound[];
  /** `dashboard`: calls with a dashboard session. `api`: other calls. Undefined: both. */
  readonly via: 'api' | 'dashboard' | undefined;
}

/** Conditions of partial indexes, so that a page reads only its own kind of calls. */
const kinds = {
  api: sql<SqlBool>`person_id is null`,
  dashboard: sql<SqlBool>`person_id is not null`,
};

/** Lists one page of calls, newest first. */
export async function listCalls(db: Db, scope: MerchantScope, filters: CallFilters, request: PageRequest) {
  const { equal, status, via } = filters;
  const page: Page<CallRow> = await readPage(db, { table: 'api_requests', ...scope }, request, {
    equal,
    ranges: { status },
    and: via === undefined ? [] : [kinds[via]],
  });
  return page;
}

/** The call. Throws `resource_missing`. */
export async function readCall(db: Db, { merchantId, livemode }: MerchantScope, id: string): Promise<CallRow> {
  const row = await findRow(db, 'api_requests', { merchant_id: merchantId, id, livemode });
  if (row !== null) return row;
  const message = `The log has no call ${id.slice(0, 64)}. It keeps the calls of 30 days.`;
  throw new PayError('resource_missing', message, { param: 'id' });
}

/** Deletes at most `limit` calls before the moment. Returns their number. */
export async function deleteCalls(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from api_requests where ctid = any (array(
      select ctid from api_requests where created_at < ${before} limit ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
