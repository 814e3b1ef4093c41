/** One step back: what a row was before it changed. */
interface Step {
  readonly table: EntryTable<unknown>;
  readonly key: string;
  readonly before: unknown;
}

/** A row that changed since the journal was last emptied, and what it was then. */
type ChangedRow = Step;

/**
 * Every change of every table, in order, so that a failed operation, a failed transaction or a trial can be undone.
 * Undoing to a mark is how `LedgerTxn` nests in stellar-core.
 */
export class Journal {
  #steps: Step[] = [];

  record(step: Step): void {
    this.#steps.push(step);
  }

  /** A point that {@link undo} can return to. */
  mark(): number {
    return this.#steps.length;
  }

  /** Takes back all that changed since the mark. */
  undo(mark: number): void {
    for (let step = this.#steps.length > mark ? this.#steps.pop() : undefined; step; ) {
      step.table.restore(step.key, step.before);
      step = this.#steps.length > mark ? this.#steps.pop() : undefined;
    }
  }

  /** Makes all changes final and names each changed row once, in the order of their first change. */
  settle(): ChangedRow[] {
    const first = new Map<EntryTable<unknown>, Map<string, unknown>>();
    for (const { table, key, before } of this.#steps) {
      const rows = first.get(table) ?? new Map<string, unknown>();
      first.set(table, rows);
      if (!rows.has(key)) rows.set(key, before);
    }
    this.#steps = [];
    return [...first].flatMap(([table, rows]) =>
      [...rows].filter(([key, before]) => table.get(key) !== before).map(([key, before]) => ({ table, key, before })),
    );
  }
}

/** Rows by key, with every change in the journal and told to the indexes over the table. */
export class EntryTable<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #journal: Journal;
  readonly #onChange: ((before: Row | undefined, after: Row | undefined) => void) | undefined;

  constructor(journal: Journal, onChange?: (before: Row | undefined, after: Row | undefined) => void) {
    this.#journal = journal;
    this.#onChange = onChange;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: Row): void {
    this.#journal.record({ table: this as EntryTable<unknown>, key, before: this.#rows.get(key) });
    this.restore(key, row);
  }

  delete(key: string): void {
    this.#journal.record({ table: this as EntryTable<unknown>, key, before: this.#rows.get(key) });
    this.restore(key, undefined);
  }

  /** Puts a row in place without a way back. */
  restore(key: string, row: Row | undefined): void {
    this.#onChange?.(this.#rows.get(key), row);
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }

  get size(): number {
    return this.#rows.size;
  }

  values(): IterableIterator<Row> {
    return this.#rows.values();
  }
}
