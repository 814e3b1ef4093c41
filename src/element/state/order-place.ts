/** A checkout's place among the checkouts of the page that have the same settings. */
export interface OrderPlace {
  /** 0 for the first of them. A checkout that is removed frees its place for the next one. */
  readonly index: number;
  leave(): void;
}

const taken = new Set<string>();

/**
 * Takes the first free place. Equal checkouts that are on the page at the same time therefore create different
 * payments, and one that is drawn again has the payment of the one that was removed. `order`: the payment's id, or the
 * settings as one text.
 */
export function takePlace(order: string): OrderPlace {
  let index = 0;
  while (taken.has(`${index} ${order}`)) index++;
  const name = `${index} ${order}`;
  taken.add(name);
  return { index, leave: () => taken.delete(name) };
}
