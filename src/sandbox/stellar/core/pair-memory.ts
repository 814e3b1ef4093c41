/** Pairs remembered before all are forgotten: anybody may name any number of accounts and assets. */
const most = 50_000;

/**
 * Remembers what was made of two texts. Joining two long texts into a key, and hashing that key, costs more than all
 * the rest of looking an entry up; a text that is given out again has its hash already.
 */
export class PairMemory<T> {
  readonly #rows = new Map<string, Map<string, T>>();
  readonly #make: (a: string, b: string) => T;
  #size = 0;

  constructor(make: (a: string, b: string) => T) {
    this.#make = make;
  }

  of(a: string, b: string): T {
    const known = this.#rows.get(a)?.get(b);
    return known === undefined ? this.#remember(a, b) : known;
  }

  #remember(a: string, b: string): T {
    if (this.#size >= most) {
      this.#rows.clear();
      this.#size = 0;
    }
    const made = this.#make(a, b);
    const row = this.#rows.get(a) ?? new Map<string, T>();
    this.#rows.set(a, row.set(b, made));
    this.#size++;
    return made;
  }
}
