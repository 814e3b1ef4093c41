import type { Gauge } from '../metrics.ts';

/** Seconds of failures after which the operator is told. A restart of a database or a provider takes less. */
const longSeconds = 120;
/** Maximum number of names in the message. */
const mostNamed = 5;

/** Reports failing work to the operator. `read`: seconds of failures by name. */
export function createFailureReport(read: () => ReadonlyMap<string, number>) {
  const help = 'Seconds for which each attempt of a sweep, or of an order, has failed.';
  const gauge: Gauge = { name: 'pay_failing_seconds', help, label: 'work', read };
  return { gauge, remarks: () => remarksOn(read()) };
}

/** A message about work that has failed for two minutes. Empty without such work. */
function remarksOn(seconds: ReadonlyMap<string, number>): readonly string[] {
  const long = [...seconds].filter(([, each]) => each >= longSeconds).sort(([, a], [, b]) => b - a);
  const longest = long[0]?.[1];
  if (longest === undefined) return [];
  const names = long.slice(0, mostNamed).map(([name]) => name);
  const more = long.length > mostNamed ? ` and ${long.length - mostNamed} more` : '';
  return [`failing: every attempt fails since ${longest} s: ${names.join(', ')}${more}. The log says why`];
}
