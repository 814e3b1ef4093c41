/** Gathers single writes into batches. */
export type GroupWriter<Item, Result> = ReturnType<typeof createGroupWriter<Item, Result>>;

interface GroupWriterOptions<Item, Result> {
  /** Writes a batch in one commit; answers in the order of the items. All or nothing. */
  readonly write: (batch: readonly Item[]) => Promise<readonly Result[]>;
  /** Largest batch. */
  readonly maxBatch: number;
  /** How many batches may be under way at once. */
  readonly maxParallel: number;
  /** Two items of the same key never share a batch, nor are they written at once; null has no such rule. */
  readonly keyOf?: (item: Item) => string | null;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string | null;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit without a timer: items that arrive while batches are under way share the next batch. `write` resolves
 * after its own commit. When a batch fails, its items are written one by one, so that only the faulty one fails.
 */
export function createGroupWriter<Item, Result>(options: GroupWriterOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  const busyKeys = new Set<string>();
  let running = 0;
  let lastSize = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || running >= options.maxParallel) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (running < options.maxParallel) {
        // Start a second batch only when it is at least half as large as the last one. Small batches cost as much.
        if (running > 0 && waiting.length < lastSize / 2) return;
        const batch = takeBatch(waiting, busyKeys, options.maxBatch);
        if (batch.length === 0) return;
        lastSize = batch.length;
        void flush(batch);
      }
    });
  }

  async function flush(batch: Waiting<Item, Result>[]): Promise<void> {
    running++;
    try {
      await writeTogether(batch);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map(entry => writeTogether([entry]).catch(entry.reject)));
    } finally {
      for (const { key } of batch) if (key !== null) busyKeys.delete(key);
      running--;
      schedule();
    }
  }

  async function writeTogether(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = await options.write(batch.map(entry => entry.item));
    for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
  }

  return {
    /** Resolves when the item's batch has committed; rejects with the item's own error. */
    write: (item: Item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ item, key: options.keyOf?.(item) ?? null, resolve, reject });
        schedule();
      }),
  };
}

/** Takes out of `waiting` what may be written together now, and marks its keys busy. */
function takeBatch<Item, Result>(
  waiting: Waiting<Item, Result>[],
  busyKeys: Set<string>,
  maxBatch: number,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const left: Waiting<Item, Result>[] = [];
  for (const entry of waiting) {
    const blocked = batch.length >= maxBatch || (entry.key !== null && busyKeys.has(entry.key));
    (blocked ? left : batch).push(entry);
    if (!blocked && entry.key !== null) busyKeys.add(entry.key);
  }
  waiting.splice(0, waiting.length, ...left);
  return batch;
}
