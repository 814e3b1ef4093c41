/** Reasons that lie with the service or the market: they pass, and the merchant can do nothing about them. */
const ours: ReadonlySet<string> = new Set(['treasury_underfunded', 'price_moved', 'day_cap']);

const minute = 60;
const day = 86_400;
/** How long to wait after each try at an account that could not take the money, in seconds: more than a month in all. */
const pauses = [minute, 5 * minute, 30 * minute, 3 * 3_600, 12 * 3_600, ...Array.from({ length: 35 }, () => day)];

/**
 * When to try a settlement again after so many tries have failed, in seconds; null: no more, until the merchant changes
 * the account.
 */
export function retryAfter(tries: number, code: string): number | null {
  if (ours.has(code)) return minute;
  return pauses[tries - 1] ?? null;
}
