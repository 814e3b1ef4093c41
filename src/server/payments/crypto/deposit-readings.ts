import type { Clock } from '../../../core/clock.ts';

/** When the service’s accounts were last read for deposits to the end, by whichever server, as far as is known here. */
export interface DepositReadings {
  /** What is known of a chain’s account; null: it was never read. */
  note(chain: string, readAt: Date | null): void;
  /** Seconds since the last reading, by chain. Of one that was never read: since that is known. */
  ages(): ReadonlyMap<string, number>;
  /** What the operator should see to. */
  remarks(): readonly string[];
}

/** After this many seconds without a reading something is wrong: an account is read every few. */
const stalledSeconds = 60;

/** Begins with nothing known. A process that reads no deposits knows nothing, and says nothing. */
export function createDepositReadings(clock: Clock): DepositReadings {
  const last = new Map<string, Date>();
  const ages = () =>
    new Map([...last].map(([chain, at]) => [chain, Math.max(0, (clock.now().getTime() - at.getTime()) / 1000)]));
  return {
    note: (chain, readAt) => {
      const known = last.get(chain);
      const at = readAt ?? known ?? clock.now();
      if (known === undefined || at > known) last.set(chain, at);
    },
    ages,
    remarks: () =>
      [...ages()]
        .filter(([, seconds]) => seconds >= stalledSeconds)
        .map(([chain, seconds]) => {
          return `deposits: what payers sent on ${chain} has not been read for ${Math.floor(seconds)} s; the log says why`;
        }),
  };
}
