import { closeSync, openSync, readSync } from 'node:fs';

/** Whether a font has a glyph for the character. */
export type CharacterMap = (codePoint: number) => boolean;

/**
 * Reads which characters a TrueType or OpenType file has (table `cmap`, formats 4 and 12). It reads this table only, so
 * the service needs neither a font library nor the megabytes of the glyphs.
 */
export function readCharacterMap(path: string): CharacterMap {
  const table = readTable(path, 'cmap');
  const codes = new Set<number>();
  for (let index = 0; index < table.readUInt16BE(2); index++) {
    const subtable = table.subarray(table.readUInt32BE(8 + index * 8));
    const format = subtable.readUInt16BE(0);
    if (format === 12) addGroups(subtable, codes);
    else if (format === 4) addSegments(subtable, codes);
  }
  return rangesOf(codes);
}

function readTable(path: string, wanted: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, at);
      return bytes;
    };
    const count = read(4, 2).readUInt16BE(0);
    const directory = read(12, count * 16);
    const entry = Array.from({ length: count }, (_, index) => directory.subarray(index * 16)).find(
      each => each.toString('latin1', 0, 4) === wanted,
    );
    if (entry === undefined) throw new Error(`${path} has no table ${wanted}`);
    return read(entry.readUInt32BE(8), entry.readUInt32BE(12));
  } finally {
    closeSync(file);
  }
}

/** Adds the codes of format 12: groups of first code, last code and first glyph. */
function addGroups(subtable: Buffer, codes: Set<number>): void {
  for (let index = 0; index < subtable.readUInt32BE(12); index++) {
    const at = 16 + index * 12;
    const [first, last, glyph] = [
      subtable.readUInt32BE(at),
      subtable.readUInt32BE(at + 4),
      subtable.readUInt32BE(at + 8),
    ];
    for (let code = first; code <= last; code++) if (glyph + code - first !== 0) codes.add(code);
  }
}

/** Adds the codes of format 4: segments with a difference or with a list of glyphs. Glyph 0 means no glyph. */
function addSegments(subtable: Buffer, codes: Set<number>): void {
  const size = subtable.readUInt16BE(6);
  for (let at = 14; at < 14 + size; at += 2) {
    const last = subtable.readUInt16BE(at);
    const first = subtable.readUInt16BE(at + size + 2);
    const delta = subtable.readUInt16BE(at + 2 * size + 2);
    const offsetAt = at + 3 * size + 2;
    const offset = subtable.readUInt16BE(offsetAt);
    for (let code = first; code <= last && code < 0xffff; code++) {
      const listed = offset === 0 ? code : subtable.readUInt16BE(offsetAt + offset + 2 * (code - first));
      const hasGlyph = offset === 0 ? ((code + delta) & 0xffff) !== 0 : listed !== 0;
      if (hasGlyph) codes.add(code);
    }
  }
}

/** Keeps ranges of codes instead of codes, which need a hundred times the memory. */
function rangesOf(codes: ReadonlySet<number>): CharacterMap {
  const ranges: number[] = [];
  for (const code of Uint32Array.from(codes).sort()) {
    if (code === ranges.at(-1)) ranges[ranges.length - 1] = code + 1;
    else ranges.push(code, code + 1);
  }
  const bounds = Uint32Array.from(ranges);
  return codePoint => {
    let [low, high] = [0, bounds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bounds[middle] ?? 0) <= codePoint) low = middle + 1;
      else high = middle;
    }
    // Each range has two bounds. With an odd number of bounds up to the character, the character is inside a range.
    return low % 2 === 1;
  };
}
