/** Gathers single writes into batches. */
export interface GroupWriter<Item, Result> {
  /** Resolves when the item's batch has committed; rejects with the item's own error. */
  write(item: Item): Promise<Result>;
}

/** How a group writer works. */
export interface GroupWriterOptions<Item, Result> {
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
export function createGroupWriter<Item, Result>(options: GroupWriterOptions<Item, Result>): GroupWriter<Item, Result> {
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
        // Beside a batch under way only another of its kind: crumbs would cost as much as loaves.
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
      await writeTogether(options, batch);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map(entry => writeAlone(options, entry)));
    } finally {
      for (const { key } of batch) if (key !== null) busyKeys.delete(key);
      running--;
      schedule();
    }
  }

  return {
    write: item =>
      new Promise((resolve, reject) => {
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

async function writeTogether<Item, Result>(
  options: GroupWriterOptions<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  const results = await options.write(batch.map(entry => entry.item));
  for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
}

async function writeAlone<Item, Result>(
  options: GroupWriterOptions<Item, Result>,
  entry: Waiting<Item, Result>,
): Promise<void> {
  try {
    await writeTogether(options, [entry]);
  } catch (error) {
    entry.reject(error);
  }
}
