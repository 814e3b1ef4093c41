/** Returns the value of a key. Creates the value if it is not in the cache. */
export type Cache<Value> = (key: string, make: () => Value) => Value;

/** A cache of at most `most` values. A full cache is emptied before the next value. */
export function createCache<Value extends object | string>(most: number): Cache<Value> {
  const values = new Map<string, Value>();
  return (key, make) => {
    const found = values.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (values.size >= most) values.clear();
    values.set(key, made);
    return made;
  };
}
