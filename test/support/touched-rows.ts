import type pg from 'pg';
import type { Database } from '../../src/server/platform/db/database.ts';
import type { StatementLog } from './statements.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the call, then uses `explain analyze` to count the rows that its queries read from tables and indexes. */
export async function touchedRows(database: Database, log: StatementLog, call: () => Promise<unknown>) {
  log.clear();
  await call();
  // A process reads the list of migrations every few seconds, in whichever call comes next.
  const queries = log.statements.filter(
    ({ text }) => /^[\s(]*(select|with) /.test(text) && !/\b(into|update|is_breaking)\b/.test(text),
  );
  let rows = 0;
  for (const { text, values } of queries) rows += await explained(database.pool, text, [...values]);
  return rows;
}

async function explained(pool: pg.Pool, text: string, values: unknown[]): Promise<number> {
  const { rows } = await pool.query(`explain (analyze, timing off, format json) ${text}`, values);
  return readRows(rows[0]['QUERY PLAN'][0].Plan);
}

function readRows(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + readRows(child), 0);
  if (!node['Node Type'].includes('Scan')) return below;
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + each * node['Actual Loops'];
}
