/** Keys of rows grouped by something else than their own key; groups that become empty vanish. */
export class EntryIndex {
  readonly #groups = new Map<string, Set<string>>();

  add(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys) keys.add(key);
    else this.#groups.set(group, new Set([key]));
  }

  remove(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys?.delete(key) && keys.size === 0) this.#groups.delete(group);
  }

  of(group: string): Iterable<string> {
    return this.#groups.get(group) ?? [];
  }
}
