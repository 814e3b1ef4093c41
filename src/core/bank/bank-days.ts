import { addDays } from '../calendar.ts';
import { type BankCalendar, type BankRailId, bankRails } from './rails.ts';

/**
 * Bank days and cut-off times, which decide when a transfer arrives. Days are texts `YYYY-MM-DD` in the time zone of
 * the bank system.
 */

/** The arrival time of a transfer ordered at `now`. */
export function arrivalOf(rail: BankRailId, now: Date): Date {
  const { calendar, days, arrives } = bankRails[rail].times;
  return momentOf(calendar, addBankDays(calendar, executionDayOf(rail, now), days), arrives);
}

/**
 * The day on which the rail executes a transfer ordered at `now`. After the cut-off and on closed days, that is the
 * next bank day.
 */
export function executionDayOf(rail: BankRailId, now: Date): string {
  const { calendar, cutOff } = bankRails[rail].times;
  const { day, minute } = localTimeOf(calendar, now);
  return isBankDay(calendar, day) && minute < cutOff ? day : addBankDays(calendar, day, 1);
}

/** The arrival day of a transfer ordered at `now`. */
export function arrivalDayOf(rail: BankRailId, now: Date): string {
  const { calendar, days } = bankRails[rail].times;
  return addBankDays(calendar, executionDayOf(rail, now), days);
}

/** The `count`th bank day after the day. */
export function addBankDays(calendar: BankCalendar, day: string, count: number): string {
  let moved = day;
  for (let left = count; left > 0; ) {
    moved = addDays(moved, 1);
    if (isBankDay(calendar, moved)) left--;
  }
  return moved;
}

/** Whether banks settle in the system on the day. */
export function isBankDay(calendar: BankCalendar, day: string): boolean {
  return !isWeekend(day) && !calendars[calendar].isHoliday(day);
}

/**
 * Closing days of TARGET on weekdays: New Year, Good Friday, Easter Monday, 1 May, 25 and 26 December. Source: European
 * Central Bank, long-term calendar for TARGET closing days (since 2002).
 */
export function isTargetHoliday(day: string): boolean {
  const year = yearOf(day);
  const easter = easterOf(year);
  const moved = [addDays(easter, -2), addDays(easter, 1)];
  return [...['01-01', '05-01', '12-25', '12-26'].map(date => `${yearText(day)}-${date}`), ...moved].includes(day);
}

/**
 * Holidays of the Federal Reserve Banks. A Sunday holiday is observed on Monday. A Saturday holiday is not observed.
 * Juneteenth counts since 2022. Source: Federal Reserve Financial Services, holiday schedules.
 */
export function isFedwireHoliday(day: string): boolean {
  const year = yearOf(day);
  const fixed = ['01-01', ...(year >= 2022 ? ['06-19'] : []), '07-04', '11-11', '12-25'];
  const observed = fixed
    .map(date => `${yearText(day)}-${date}`)
    .map(date => (weekdayOf(date) === 0 ? addDays(date, 1) : date));
  return observed.includes(day) || isFloatingHoliday(day);
}

/** Monday holidays: month (from 1) → which Monday of the month. `isFloatingHoliday` adds the last Monday of May. */
const mondays: Readonly<Record<number, number>> = { 1: 3, 2: 3, 9: 1, 10: 2 };
const may = 5;
const november = 11;

function isFloatingHoliday(day: string): boolean {
  const month = Number(day.slice(5, 7));
  const date = Number(day.slice(8, 10));
  const week = Math.floor((date + 6) / 7);
  const weekday = weekdayOf(day);
  if (month === november) return weekday === 4 && week === 4;
  if (weekday !== 1) return false;
  return month === may ? date > 24 : mondays[month] === week;
}

/** Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher). */
function easterOf(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  const date = (h + l - 7 * m + 33 * month + 19) % 32;
  return new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10);
}

const yearText = (day: string) => day.slice(0, 4);
const yearOf = (day: string) => Number(yearText(day));
const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();
const isWeekend = (day: string) => [0, 6].includes(weekdayOf(day));

const formatOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** The closing days of each system on weekdays, and the clock of its time zone. */
const calendars: Readonly<Record<BankCalendar, { isHoliday: (day: string) => boolean; clock: Intl.DateTimeFormat }>> = {
  target: { isHoliday: isTargetHoliday, clock: formatOf('Europe/Berlin') },
  fedwire: { isHoliday: isFedwireHoliday, clock: formatOf('America/New_York') },
};

function localTimeOf(calendar: BankCalendar, moment: Date) {
  const parts = Object.fromEntries(
    calendars[calendar].clock.formatToParts(moment).map(({ type, value }) => [type, value]),
  );
  return {
    day: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

/** The moment of a local time. Ignores clock changes: they happen at night, cut-offs and arrivals by day. */
function momentOf(calendar: BankCalendar, day: string, minute: number): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`) + minute * 60_000;
  const local = localTimeOf(calendar, new Date(asUtc));
  const offset = Date.parse(`${local.day}T00:00:00Z`) + local.minute * 60_000 - asUtc;
  return new Date(asUtc - offset);
}
