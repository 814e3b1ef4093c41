import { oneLine } from './plain-text.ts';

/** Rows as text with aligned columns. The first row contains the titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [titles, ...rows.map(row => row.map(oneLine))];
  const widths = titles.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names and values as aligned lines. A null value is omitted. */
export function facts(pairs: Readonly<Record<string, string | null>>): string {
  const shown = Object.entries(pairs).flatMap(([name, value]) =>
    value === null ? [] : [[name, oneLine(value)] as const],
  );
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
