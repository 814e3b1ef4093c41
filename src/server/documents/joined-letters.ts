import type { Glyph, OpenFont, Position, SetWord } from './font-memory.ts';

/** Ids from here on stand for a letter that shares its drawing with another; fonts have at most 65,536. */
const firstOwnId = 0x10000;
/** A character that is not seen and does not end a word: what is copied of dots that belong to the letter before. */
const wordJoiner = 0x2060;

/**
 * Lets text be copied as it was written out of a font that draws several letters as one stem and dots: a stem gets an id
 * of its own for every letter it stands for, and the dots are drawn after all stems, so that words are not torn. Whoever
 * reads the text that stands beside the letters needs none of this; not all readers do.
 */
export function withOwnLetters(font: OpenFont): OpenFont {
  const ids = new Map<string, number>();
  const drawings: number[] = [];
  const own = (glyph: Glyph): Glyph => {
    const codePoints = glyph.codePoints.length > 0 ? glyph.codePoints : [wordJoiner];
    const key = `${glyph.id} ${codePoints.join()}`;
    const id = ids.get(key) ?? firstOwnId + drawings.push(glyph.id) - 1;
    ids.set(key, id);
    return { id, codePoints, advanceWidth: glyph.advanceWidth };
  };
  const layout = font.layout.bind(font);
  font.layout = (text, features) => stemsFirst(layout(text, features), own);
  const createSubset = font.createSubset.bind(font);
  font.createSubset = () => {
    const subset = createSubset();
    const include = subset.includeGlyph.bind(subset);
    const included = new Map<number, number>();
    subset.includeGlyph = id => {
      const drawing = typeof id === 'number' ? drawings[id - firstOwnId] : undefined;
      if (typeof id !== 'number' || drawing === undefined) return include(id);
      const known = included.get(id) ?? subset.glyphs.push(drawing) - 1;
      included.set(id, known);
      return known;
    };
    return subset;
  };
  return font;
}

/** The word with its dots at its end, each where it was on the paper. */
function stemsFirst({ glyphs, positions }: SetWord, own: (glyph: Glyph) => Glyph): SetWord {
  const stems: [Glyph, Position][] = [];
  const dots: [Glyph, Position][] = [];
  let pen = 0;
  for (const [index, glyph] of glyphs.entries()) {
    const position = positions[index] ?? { xAdvance: 0, yAdvance: 0, xOffset: 0, yOffset: 0 };
    const isDot = glyph.codePoints.length === 0 && position.xAdvance === 0;
    if (isDot) dots.push([own(glyph), { ...position, xOffset: pen + position.xOffset }]);
    else stems.push([own(glyph), position]);
    pen += position.xAdvance;
  }
  const placed = [...stems, ...dots.map(([glyph, at]) => [glyph, { ...at, xOffset: at.xOffset - pen }] as const)];
  return {
    glyphs: placed.map(([glyph]) => glyph),
    positions: placed.map(([, position]) => position),
    advanceWidth: pen,
  };
}
