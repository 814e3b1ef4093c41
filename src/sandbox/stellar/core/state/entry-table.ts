import type { EntryKind } from './entries.ts';

/** A changed row and its previous value. `undefined`: the row did not exist. */
interface ChangedRow {
  readonly table: EntryTable<unknown>;
  readonly key: string;
  readonly before: unknown;
}

/**
 * Records all changes of all tables in order. The journal can undo a failed operation, a failed transaction or the
 * trial of a quote. stellar-core nests `LedgerTxn` for the same purpose.
 */
export class Journal {
  #changes: ChangedRow[] = [];

  record(change: ChangedRow): void {
    this.#changes.push(change);
  }

  /** A position to which {@link undo} can return. */
  mark(): number {
    return this.#changes.length;
  }

  /** Undoes every change after the mark. */
  undo(mark: number): void {
    while (this.#changes.length > mark) {
      const { table, key, before } = this.#changes.pop() as ChangedRow;
      table.restore(key, before);
    }
  }

  /** Makes all changes final. Returns each changed row once, table by table. */
  settle(): ChangedRow[] {
    const first = new Map<EntryTable<unknown>, Map<string, unknown>>();
    for (const { table, key, before } of this.#changes) {
      const rows = first.get(table) ?? new Map<string, unknown>();
      first.set(table, rows);
      if (!rows.has(key)) rows.set(key, before);
    }
    this.#changes = [];
    return [...first].flatMap(([table, rows]) =>
      [...rows].filter(([key, before]) => table.get(key) !== before).map(([key, before]) => ({ table, key, before })),
    );
  }
}

/** An index that receives the changes of a table. */
interface TableIndex<Row> {
  follow(key: string, before: Row | undefined, after: Row | undefined): void;
}

/** Rows by key. Each change is recorded in the journal and passed to the indexes. */
export class EntryTable<Row> {
  /** The kind of the entries. `null` for tables that are not stored. */
  readonly kind: EntryKind | null;
  readonly #rows = new Map<string, Row>();
  readonly #journal: Journal;
  readonly #indexes: readonly TableIndex<Row>[];

  constructor(journal: Journal, kind: EntryKind | null = null, indexes: readonly TableIndex<Row>[] = []) {
    this.#journal = journal;
    this.kind = kind;
    this.#indexes = indexes;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: Row): void {
    this.#change(key, row);
  }

  delete(key: string): void {
    this.#change(key, undefined);
  }

  /** Sets or deletes a row without recording the change. */
  restore(key: string, row: Row | undefined): void {
    for (const index of this.#indexes) index.follow(key, this.#rows.get(key), row);
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }

  get size(): number {
    return this.#rows.size;
  }

  values(): IterableIterator<Row> {
    return this.#rows.values();
  }

  #change(key: string, row: Row | undefined): void {
    this.#journal.record({ table: this as EntryTable<unknown>, key, before: this.#rows.get(key) });
    this.restore(key, row);
  }
}

/** Row keys grouped by a property of the row. The property must not change while the row exists. */
export class EntryIndex<Row> implements TableIndex<Row> {
  readonly #keys = new Map<string, Set<string>>();
  readonly #groupsOf: (row: Row) => readonly string[];

  constructor(groupsOf: (row: Row) => readonly string[]) {
    this.#groupsOf = groupsOf;
  }

  keysOf(group: string): Iterable<string> {
    return this.#keys.get(group) ?? [];
  }

  follow(key: string, before: Row | undefined, after: Row | undefined): void {
    if (before === undefined && after !== undefined) for (const group of this.#groupsOf(after)) this.#add(group, key);
    if (before !== undefined && after === undefined)
      for (const group of this.#groupsOf(before)) this.#remove(group, key);
  }

  #add(group: string, key: string): void {
    const keys = this.#keys.get(group);
    if (keys) keys.add(key);
    else this.#keys.set(group, new Set([key]));
  }

  #remove(group: string, key: string): void {
    const keys = this.#keys.get(group);
    if (keys?.delete(key) && keys.size === 0) this.#keys.delete(group);
  }
}
