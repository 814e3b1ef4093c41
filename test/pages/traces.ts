import { sql } from 'kysely';
import type { TestApp } from '../support/app.ts';

interface Column {
  readonly table_name: string;
  readonly column_name: string;
}

/** All log lines and table columns that contain one of the texts. */
export async function placesThatHold(app: TestApp, texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<Column>`
    select table_name, column_name from information_schema.columns where table_schema = 'public'
  `.execute(app.database.db);
  const inTables = await Promise.all(rows.map(column => findIn(app, column, texts)));
  const inLogs = texts.filter(text => app.logs.some(line => line.includes(text))).map(text => `log: ${text}`);
  return [...inTables.flat(), ...inLogs];
}

async function findIn(app: TestApp, column: Column, texts: readonly string[]): Promise<string[]> {
  const { table_name: table, column_name: name } = column;
  const found = await sql<{ text: string }>`
    select ${sql.ref(name)}::text as text from ${sql.table(table)} where ${sql.ref(name)} is not null
  `.execute(app.database.db);
  // Byte columns are searched in hexadecimal form.
  const forms = texts.flatMap(text => [text, Buffer.from(text).toString('hex')]);
  return found.rows.flatMap(row =>
    forms.filter(form => row.text.includes(form)).map(form => `${table}.${name}: ${form}`),
  );
}
