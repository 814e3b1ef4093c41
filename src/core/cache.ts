/** Returns the value of a key, which is made when the cache does not hold it. */
export type Cache<Value> = (key: string, make: () => Value) => Value;

/** A cache of at most `most` values. When it is full it is emptied, since callers may ask for any number of keys. */
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
