import { systemClock } from '../../src/core/clock.ts';
import type { CallActivity, Entry } from '../activity.ts';

const key = 'nordlys-calls';
const kept = 40;

/** The calls this browser tab has made, over page loads. The shop's server keeps its own. */
export function createRememberedCalls() {
  let entries = load();
  const save = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(entries));
    } catch {
      // Too much for the browser: the panel of this page has it all the same.
    }
  };
  return {
    all: (): readonly Entry[] => entries,
    add(call: CallActivity): Entry {
      const entry: Entry = { ...call, sequence: 0, at: systemClock.now().toISOString() };
      entries = [...entries, entry].slice(-kept);
      save();
      return entry;
    },
    clear(): void {
      entries = [];
      save();
    },
  };
}

function load(): Entry[] {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(saved) ? (saved as Entry[]) : [];
  } catch {
    return [];
  }
}
