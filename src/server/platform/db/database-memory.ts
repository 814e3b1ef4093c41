import { PostgresAdapter, type QueryExecutorProvider } from 'kysely';

/** Maximum number of prepared statements. Without it, texts that vary by mistake would fill the database's memory. */
export const mostStatements = 200;

/**
 * What the process remembers about one database: the names of prepared statements, and the types of columns. Kysely
 * passes its adapter to every transaction, so each of them finds the memory of its database.
 */
export class DatabaseMemory extends PostgresAdapter {
  /** The types of the columns of each table that was read from the catalog. */
  readonly columnTypes = new Map<string, Readonly<Record<string, string>>>();
  readonly #onFull: () => void;
  readonly #names = new Map<string, string>();
  #given = 0;
  #unprepared = 0;

  /** `onFull` is called once, when a statement is not prepared because of the maximum. */
  constructor(onFull: () => void) {
    super();
    this.#onFull = onFull;
  }

  /** The name of a prepared statement. Null if the maximum number of statements is prepared. */
  nameOf(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#given >= mostStatements) {
      this.#unprepared++;
      if (this.#unprepared === 1) this.#onFull();
      return null;
    }
    const name = `prepared_${++this.#given}`;
    this.#names.set(text, name);
    return name;
  }

  /** Forgets the name, so that the next call prepares the statement again. */
  forget(text: string): void {
    this.#names.delete(text);
  }

  /** Number of statements that were prepared. */
  get prepared(): number {
    return this.#given;
  }

  /** Number of calls that were not prepared because of the maximum. */
  get unprepared(): number {
    return this.#unprepared;
  }
}

/** The memory of the database that the executor uses. */
export function memoryOf(db: QueryExecutorProvider): DatabaseMemory {
  const { adapter } = db.getExecutor();
  if (adapter instanceof DatabaseMemory) return adapter;
  throw new Error('the database was not opened by createDatabase');
}
