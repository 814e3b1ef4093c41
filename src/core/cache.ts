/** Returns what is known for a key; what is not is made, and known from then on. */
export type Remembered<Value> = (key: string, make: () => Value) => Value;

/** A memory for what takes longer to make than to find again. When it holds `most`, it begins anew: whoever asks may name any keys. */
export function remembered<Value extends object | string>(most: number): Remembered<Value> {
  const known = new Map<string, Value>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}
