/** The lowest and highest dollar price of an asset in a window before now, in units of 10^-18. */
export interface Reading {
  readonly low: bigint;
  readonly high: bigint;
}

/** The windows that a new price is compared with, and by how many percent it may differ from each reading in them. */
export const windows = [
  // XLM moved by 10 % in ten minutes on a few days of the last years.
  { seconds: 600, percent: 10n },
  { seconds: 3_600, percent: 20n },
  { seconds: 86_400, percent: 50n },
  // This is the measure of a price that was not read for a day.
  { seconds: 30 * 86_400, percent: 200n },
] as const;

/** Age of the first reading in seconds before the balance converts at the price of an asset. */
export const seasonSeconds = 600;

/** Older prices of assets. They are kept in the database, so a restart forgets none. */
export interface Readings {
  /** The readings of each window, in the order of `windows`; null where a window has none. */
  of(asset: string): Promise<readonly (Reading | null)[]>;
  /** Whether the asset has a reading that is at least `seasonSeconds` old. Only then is a price more than a claim. */
  isSeasoned(asset: string): Promise<boolean>;
  keep(asset: string, prices: readonly bigint[]): Promise<void>;
}

/** Whether one of the prices is further from a reading than its window permits. */
export function isWild(prices: readonly bigint[], readings: readonly (Reading | null)[]): boolean {
  return windows.some(({ percent }, index) => {
    const reading = readings[index];
    if (reading == null) return false;
    const most = 100n + percent;
    return prices.some(price => price * 100n > reading.low * most || price * most < reading.high * 100n);
  });
}
