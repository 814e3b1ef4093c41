import { addSeconds, type Clock } from '../../../core/clock.ts';

/** Ids of work that failed in this process and must wait. Other work continues. `seconds`: the length of a pause. */
export function createPauses(clock: Clock, seconds: number) {
  const pausedUntil = new Map<string, Date>();
  return {
    /** The ids to skip now. */
    current: (): string[] => {
      const now = clock.now();
      for (const [id, until] of pausedUntil) if (until <= now) pausedUntil.delete(id);
      return [...pausedUntil.keys()];
    },
    add: (id: string): void => void pausedUntil.set(id, addSeconds(clock.now(), seconds)),
  };
}
