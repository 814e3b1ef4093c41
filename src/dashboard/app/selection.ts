/** The merchant and mode that this tab shows. Null: the server decides. */
export interface Selection {
  readonly merchant: string | null;
  readonly mode: 'test' | 'live' | null;
}

const key = 'pay-dashboard.selection';
const none: Selection = { merchant: null, mode: null };

/** The selection of this tab, otherwise the last selection in this browser. */
export function readSelection(): Selection {
  try {
    const text = sessionStorage.getItem(key) ?? localStorage.getItem(key);
    return text === null ? none : { ...none, ...(JSON.parse(text) as Partial<Selection>) };
  } catch {
    // Storage may be blocked, or contain an old format.
    return none;
  }
}

/** Stores the selection for this tab and for new tabs. */
export function keepSelection(selection: Selection): void {
  for (const storage of ['sessionStorage', 'localStorage'] as const) {
    try {
      window[storage].setItem(key, JSON.stringify(selection));
    } catch {
      // Without storage, the server decides at the next visit.
    }
  }
}

/** Opens another merchant or mode. Reloads the whole app, so that no data of the earlier selection remains. */
export function openMerchant(merchant: string, mode: 'test' | 'live'): void {
  keepSelection({ merchant, mode });
  location.assign('/dashboard/');
}

/** Clears the selection, for example when the person no longer belongs to the merchant. The server then decides. */
export function dropSelection(): void {
  keepSelection(none);
}
