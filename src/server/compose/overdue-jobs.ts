import type { Clock } from '../../core/clock.ts';
import { issueMoment } from '../invoices/recurring/recurrence.ts';
import type { Db } from '../platform/db/database.ts';
import type { Gauge } from '../platform/metrics.ts';
import { type LateKind, type LateWork, lateKinds, readLateWork } from './overdue-jobs.store.ts';

/** Looks at what time should have brought about, in every role: it also tells when no process does such work. */
export interface LateWatch {
  /** Looks, unless that was done a moment ago; many who ask at once share a look. Rejects while the database is away. */
  look(): Promise<void>;
  /** What the metrics page shows of the last look. */
  readonly gauges: readonly Gauge[];
  /** What the operator should see to, by the last look. */
  readonly remarks: () => readonly string[];
}

/** Longer than a burst of mails, a pause of a server or a deploy explain. */
const longSeconds = 900;
/** How long a look counts, in milliseconds. */
const freshMs = 10_000;

interface Waiting {
  readonly kind: LateKind;
  readonly count: number;
  readonly seconds: number;
}

/** Makes the watch. */
export function createLateWatch({ db, clock }: { readonly db: Db; readonly clock: Clock }): LateWatch {
  let waiting: readonly Waiting[] = lateKinds.map(kind => ({ kind, count: 0, seconds: 0 }));
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function read(): Promise<void> {
    const now = clock.now();
    const rows = await readLateWork(db, now);
    waiting = lateKinds.map(kind => sum(kind, rows, now));
    lookedAt = now.getTime();
  }
  const gauge = (name: string, help: string, of: (one: Waiting) => number): Gauge => ({
    ...{ name, help, label: 'kind' },
    read: () => new Map(waiting.map(one => [one.kind, of(one)])),
  });
  return {
    look: async () => {
      // A clock may also be set back.
      if (Math.abs(clock.now().getTime() - lookedAt) < freshMs) return;
      looking ??= read().finally(() => {
        looking = null;
      });
      await looking;
    },
    gauges: [
      gauge(
        'pay_waiting',
        'Mails, reminders, recurring invoices and webhooks that are past their time.',
        one => one.count,
      ),
      gauge('pay_waiting_seconds', 'How long the oldest of them is past it.', one => one.seconds),
    ],
    remarks: () => waiting.filter(({ seconds }) => seconds >= longSeconds).map(remarkOn),
  };
}

function sum(kind: LateKind, rows: readonly LateWork[], now: Date): Waiting {
  const late = rows
    .filter(row => row.kind === kind)
    .map(row => ({ count: row.count, seconds: Math.floor((now.getTime() - sinceOf(row).getTime()) / 1000) }))
    .filter(({ seconds }) => seconds >= 0);
  return {
    kind,
    count: late.reduce((sum, { count }) => sum + count, 0),
    seconds: Math.max(0, ...late.map(({ seconds }) => seconds)),
  };
}

function sinceOf({ since, timezone, day }: LateWork): Date {
  return since ?? issueMoment(timezone ?? '', day ?? '');
}

function remarkOn({ kind, count, seconds }: Waiting): string {
  return `${kind}: ${count} ${count === 1 ? 'waits' : 'wait'}, the oldest for ${seconds} s`;
}
