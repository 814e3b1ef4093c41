/** A state machine as data: each state with its next states. */
export interface Machine<State extends string> {
  readonly states: readonly State[];
  /** Whether the step is legal. */
  can(from: State, to: State): boolean;
  /** The states from which a step to `to` is legal, for the `where` clause of the SQL that makes the step. */
  sourcesOf(to: State): readonly State[];
  /** Whether no step leaves the state. */
  isTerminal(state: State): boolean;
}

/**
 * Creates a machine from its table. Pass the union of states as type argument. A missing or misspelt state then does
 * not compile.
 */
export function defineMachine<State extends string>(table: Readonly<Record<State, readonly State[]>>): Machine<State> {
  const states = Object.keys(table) as State[];
  return {
    states,
    can: (from, to) => table[from].includes(to),
    sourcesOf: to => states.filter(from => table[from].includes(to)),
    isTerminal: state => table[state].length === 0,
  };
}
