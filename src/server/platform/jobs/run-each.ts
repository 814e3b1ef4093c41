/**
 * Does the work for each item in turn. One that fails holds up no other; the first error is thrown when all have had
 * their turn. Returns how many there were.
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
