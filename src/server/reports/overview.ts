import { DateTime } from 'luxon';
import type { Overview, OverviewQuery } from '../../api/dashboard/report.ts';
import { PayError } from '../../core/error.ts';
import { dayIn, daysBetween, startOfDay } from '../platform/local-day.ts';
import type { Figures, MoneyFigures, Period, PointFigures } from './figures.store.ts';

/** A requested period: whole days of a time zone, divided into points of the length `interval`. */
export interface RequestedPeriod extends Period {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly interval: 'hour' | 'day' | 'week' | 'month';
  readonly timezone: string;
}

const defaultDays = 30;
const mostPoints = 800;
const daysOf = { hour: 1 / 24, day: 1, week: 7, month: 28 };

/** Reads the query. `now` is on the merchant's clock. Throws `parameter_invalid`. */
export function periodOf(query: OverviewQuery, now: Date, accountZone: string): RequestedPeriod {
  const { interval = 'day', timezone = accountZone } = query;
  if (!DateTime.local({ zone: timezone }).isValid) {
    throw new PayError('parameter_invalid', 'timezone takes an IANA time zone like Europe/Berlin.', {
      param: 'timezone',
    });
  }
  const lastDay = dayOf(query.to ?? dayIn(timezone, now), 'to');
  const firstDay = dayOf(query.from ?? plusDays(lastDay, 1 - defaultDays), 'from');
  const days = daysBetween(firstDay, lastDay) + 1;
  if (days < 1) throw new PayError('parameter_invalid', 'from must not be after to.', { param: 'from' });
  if (days / daysOf[interval] > mostPoints) {
    const message = `The period has more than ${mostPoints} points. Shorten it, or choose a longer interval.`;
    throw new PayError('parameter_invalid', message, { param: 'interval' });
  }
  const [from, until] = [startOfDay(timezone, firstDay), startOfDay(timezone, plusDays(lastDay, 1))];
  return { firstDay, lastDay, from, until, interval, timezone, points: pointsOf(from, until, interval, timezone) };
}

function dayOf(text: string, param: string): string {
  if (DateTime.fromISO(text, { zone: 'utc' }).isValid) return text;
  throw new PayError('parameter_invalid', `${param} takes a day like 2026-11-01.`, { param });
}

function plusDays(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toISODate() ?? '';
}

/** The first moment of each point. The first point may begin before the period, for example a week on its Monday. */
function pointsOf(from: Date, until: Date, interval: RequestedPeriod['interval'], zone: string): Date[] {
  const points: Date[] = [];
  const begin = DateTime.fromJSDate(from, { zone }).startOf(interval);
  for (let step = 0; ; step++) {
    // If the clocks change, the first day may begin at 01:00. Without this `startOf`, all later days would do so too.
    const start = begin
      .plus({ [interval]: step })
      .startOf(interval)
      .toJSDate();
    if (start >= until) return points;
    points.push(start);
  }
}

type Money = Overview['amounts'];

/** The figures in their wire form, without the list of tasks for a person. */
export function overviewOf(
  period: RequestedPeriod,
  rows: readonly PointFigures[],
  money: readonly MoneyFigures[],
): Omit<Overview, 'attention' | 'livemode' | 'generated_at'> {
  // If a payment changes its method, a row of zeros remains.
  const figures = rows.filter(each => each.created !== 0n || each.paid !== 0n);
  const byPoint = Map.groupBy(figures, ({ point }) => point);
  return {
    object: 'overview',
    from: period.firstDay,
    to: period.lastDay,
    interval: period.interval,
    timezone: period.timezone,
    counts: { ...countsOf(figures), ...successOf(figures) },
    amounts: amountsOf(figures),
    by_method: [...Map.groupBy(figures, ({ method }) => method)].map(([method, some]) => ({
      method,
      ...countsOf(some),
      ...successOf(some),
      amounts: amountsOf(some),
    })),
    by_asset: [...Map.groupBy(figures, each => each.settlement_asset)].map(([settlement_asset, some]) => ({
      settlement_asset,
      amounts: amountsOf(some),
    })),
    series: period.points.map((start, index) => {
      const some = byPoint.get(index + 1) ?? [];
      return { start: start.toISOString(), ...countsOf(some), amounts: amountsOf(some) };
    }),
    money: money
      .filter(each => each.settled !== 0n || each.available !== 0n || each.waiting !== 0n)
      .map(({ currency, settled, available, waiting }) => ({
        currency,
        settled: Number(settled),
        in_balance: Number(available),
        waiting: Number(waiting),
      })),
  };
}

type Sum = Exclude<keyof Figures, 'currency' | 'method' | 'settlement_asset'>;

function sum(figures: readonly Figures[], name: Sum): number {
  return Number(figures.reduce((total, each) => total + each[name], 0n));
}

function countsOf(figures: readonly Figures[]) {
  const of = (name: Sum) => sum(figures, name);
  return {
    created: of('created'),
    pending: of('pending'),
    completed: of('completed'),
    failed: of('failed'),
    refunded: of('refunded'),
  };
}

function successOf(figures: readonly Figures[]): { readonly success_rate: number | null } {
  const { completed, failed, refunded } = countsOf(figures);
  const ended = completed + failed + refunded;
  return { success_rate: ended === 0 ? null : Math.round(((completed + refunded) / ended) * 10_000) / 10_000 };
}

function amountsOf(figures: readonly Figures[]): Money {
  const paid = figures.filter(each => each.paid !== 0n || each.received !== 0n || each.returned !== 0n);
  return [...Map.groupBy(paid, ({ currency }) => currency)]
    .map(([currency, some]) => ({
      currency,
      paid: sum(some, 'paid'),
      volume: sum(some, 'received'),
      refunded_amount: sum(some, 'returned'),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
