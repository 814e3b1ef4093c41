/**
 * Runs the work for each item in turn. An item that fails does not stop the others; the first error is thrown at the
 * end. Returns the number of items.
 */
export async function runEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<number> {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return items.length;
}

/** Does the work for all items at once. If that fails, for each alone, so that only those at fault fail. */
export async function runTogether<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (items.length < 2) throw error;
    await runEach(items, item => work([item]));
  }
}
