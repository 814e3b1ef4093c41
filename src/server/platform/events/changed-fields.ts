/** The fields of an object that changed, as they were: what an event carries as `previous`. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name as keyof T]),
  );
  return Object.fromEntries(changed) as Partial<T>;
}
