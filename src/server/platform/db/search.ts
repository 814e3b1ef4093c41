import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type IdKind, idPrefixes } from '../../../core/id.ts';
import type { MerchantScope } from '../merchant.ts';
import type { Secrets } from '../secrets.ts';
import type { Executor } from './database.ts';
import type { Tables } from './tables.ts';

/** A text to search for, without outer blanks. */
export interface SearchQuery extends MerchantScope {
  readonly text: string;
  /** The id of the customer with this e-mail address. Null if the text is no e-mail address. */
  readonly customerId: string | null;
  /** Maximum number of objects of one kind. */
  readonly most: number;
}

/** An object that the search found. */
export interface Found {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  /** The API's URL of the object. Null if the API shows the object only in a list. */
  readonly url: string | null;
  /** The id of the object that this one belongs to. Null if there is none. */
  readonly parent: string | null;
}

/** The id of the object whose hosted page has the token in its URL (`/i/<token>`). Null for a wrong token. */
export type PageId = (token: string, secrets: Secrets) => string | null;

/** Finds objects of one type. `scope`: the scope that a key needs to read these objects. */
export interface SearchSource {
  readonly type: string;
  readonly scope: string;
  readonly find: (db: Executor, query: SearchQuery) => Promise<readonly Found[]>;
}

/**
 * How a column is compared. `exact`: the same text. `upper`: the text, also in capitals. `lower`: the text in any case.
 * `prefix`: the beginning, in any case. `last_word`: the beginning of the last word, in any case. `hash`: 64
 * hexadecimal digits. `customer`: the id of the customer with this e-mail address. `phone`: a number in E.164. Each comparison needs an index.
 */
type Comparison = 'exact' | 'upper' | 'lower' | 'prefix' | 'last_word' | 'hash' | 'customer' | 'phone';

interface Match {
  readonly column: string;
  readonly as: Comparison;
  /** The column is in another table of the module. Its column `key` contains the object's id. */
  readonly through?: { readonly table: keyof Tables; readonly key: string };
}

interface SearchOptions<Table extends keyof Tables> {
  readonly kind: IdKind;
  readonly type: string;
  /** The path before the id. Null if the API cannot read a single object. */
  readonly path: string | null;
  readonly scope: string;
  /** A column that is null unless the object was deleted. */
  readonly deletedAt?: string;
  /** A further condition. It may name the columns of the table. */
  readonly only?: RawBuilder<SqlBool>;
  /** Columns to compare if the text does not have the form of an id. */
  readonly matches?: readonly Match[];
  readonly show: (row: Selectable<Tables[Table]>) => Shown;
}

/** How an object appears in the results. */
interface Shown {
  readonly title: string;
  readonly subtitle?: string | null;
  readonly parent?: string | null;
}

/** Finds objects of a table by their id, or by other columns. */
export function searchIn<Table extends keyof Tables>(table: Table, options: SearchOptions<Table>): SearchSource {
  const { kind, type, path, scope, deletedAt, only = sql`true`, matches = [], show } = options;
  const exists = deletedAt === undefined ? sql`true` : sql`${sql.ref(deletedAt)} is null`;
  return {
    type,
    scope,
    find: async (db, query) => {
      const { text, merchantId, livemode, most } = query;
      const isId = new RegExp(`^${idPrefixes[kind]}_[0-9A-Za-z]{1,60}$`).test(text);
      const wanted = isId ? [sql<SqlBool>`id = ${text}`] : matches.flatMap(match => conditionOf(match, query));
      if (wanted.length === 0) return [];
      const each = wanted.map(
        condition => sql`(select * from ${sql.table(table)} where merchant_id = ${merchantId} and livemode = ${livemode}
          and ${exists} and ${only} and ${condition} limit ${most})`,
      );
      const { rows } = await sql<Selectable<Tables[Table]> & { readonly id: string }>`
        ${sql.join(each, sql` union all `)}`.execute(db);
      const found = new Map(rows.map(row => [row.id, row]));
      return [...found.values()].slice(0, most).map(row => {
        const { title, subtitle = null, parent = null } = show(row);
        return { type, id: row.id, title, subtitle, url: path && `${path}/${row.id}`, parent };
      });
    },
  };
}

function conditionOf({ column, as, through }: Match, query: SearchQuery): RawBuilder<SqlBool>[] {
  const same = comparisons[as](sql.ref(column), query);
  if (same === null) return [];
  if (through === undefined) return [same];
  return [
    sql<SqlBool>`id in (select ${sql.ref(through.key)} from ${sql.table(through.table)}
      where merchant_id = ${query.merchantId} and ${same} limit ${query.most})`,
  ];
}

/** The pattern of `like` for texts that begin with this text. */
const beginning = (text: string): string => `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

type Compare = (column: RawBuilder<unknown>, query: SearchQuery) => RawBuilder<SqlBool> | null;

const comparisons: Readonly<Record<Comparison, Compare>> = {
  exact: (column, { text }) => sql`${column} = ${text}`,
  upper: (column, { text }) => sql`${column} in (${text}, ${text.toUpperCase()})`,
  lower: (column, { text }) => sql`lower(${column}) = lower(${text})`,
  prefix: (column, { text }) => sql`lower(${column}) like ${beginning(text)}`,
  last_word: (column, { text }) => sql`lower(regexp_replace(${column}, '^.*\\s', '')) like ${beginning(text)}`,
  hash: (column, { text }) => (/^[0-9a-f]{64}$/i.test(text) ? sql`${column} = ${text.toLowerCase()}` : null),
  phone: (column, { text }) =>
    /^\+?[\d\s().-]{8,24}$/.test(text) ? sql`${column} = ${`+${text.replace(/\D/g, '')}`}` : null,
  customer: (column, { customerId }) => (customerId === null ? null : sql`${column} = ${customerId}`),
};
