/** The merchant and mode that this tab shows. Null: the server chooses. */
export interface Selection {
  readonly merchant: string | null;
  readonly mode: 'test' | 'live' | null;
}

const key = 'pay-dashboard.selection';
const none: Selection = { merchant: null, mode: null };

/** The selection of this tab, else the last one of the browser. */
export function readSelection(): Selection {
  try {
    const text = sessionStorage.getItem(key) ?? localStorage.getItem(key);
    return text === null ? none : { ...none, ...(JSON.parse(text) as Partial<Selection>) };
  } catch {
    // Storage may be blocked or hold an old text.
    return none;
  }
}

/** Keeps the selection for this tab, and for new tabs. */
export function keepSelection(selection: Selection): void {
  for (const storage of ['sessionStorage', 'localStorage'] as const) {
    try {
      window[storage].setItem(key, JSON.stringify(selection));
    } catch {
      // Without storage the server chooses at the next visit.
    }
  }
}

/** Forgets the selection, for example when the person left the merchant. */
export function dropSelection(): void {
  keepSelection(none);
}
