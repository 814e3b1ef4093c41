import { failsForAll, isOldPlan } from './outage.ts';

/** Collects single writes into batches. */
export type GroupWriter<Item, Result> = ReturnType<typeof createGroupWriter<Item, Result>>;

interface GroupWriterOptions<Item, Result> {
  /** Writes a batch in one commit, completely or not at all. Returns the results in the order of the items. */
  readonly write: (batch: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum items of a batch. */
  readonly maxBatch: number;
  /** Maximum batches at the same time. */
  readonly maxParallel: number;
  /** Items with the same key are never written at the same time. Null: no restriction. */
  readonly keyOf?: (item: Item) => string | null;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string | null;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit without a timer: items that arrive during a write share the next batch. `write` resolves after its own
 * commit. If a batch fails, its items are written one by one, so that only faulty items fail. During a database
 * outage, all items fail at once, so that no caller waits twice. A write that a migration broke is repeated once.
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
        // Start a second batch only if it is at least half as large as the last batch. A small batch costs as much as
        // a large batch.
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
      const isFinal = failsForAll(error) || (batch.length === 1 && !isOldPlan(error));
      if (isFinal) for (const entry of batch) entry.reject(error);
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
    /** Resolves after the commit of the item's batch. Rejects with the item's own error. */
    write: (item: Item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ item, key: options.keyOf?.(item) ?? null, resolve, reject });
        schedule();
      }),
  };
}

/** Removes the next batch from `waiting`, and marks its keys as busy. */
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
