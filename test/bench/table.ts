/** One line of a benchmark: a measured value and its target. */
export interface Measure {
  readonly name: string;
  readonly value: string;
  readonly target: string;
  readonly met: boolean;
}

export function printTable(title: string, measures: readonly Measure[]): void {
  const width = (pick: (measure: Measure) => string) => Math.max(...measures.map(measure => pick(measure).length));
  const [name, value, target] = [width(m => m.name), width(m => m.value), width(m => m.target)];
  console.log(`\n${title}`);
  for (const measure of measures) {
    const mark = measure.met ? 'met' : 'MISSED';
    console.log(
      `  ${measure.name.padEnd(name)}  ${measure.value.padStart(value)}  ${measure.target.padEnd(target)}  ${mark}`,
    );
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The smallest value that this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
