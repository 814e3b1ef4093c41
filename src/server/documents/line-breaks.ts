/** Written without blanks, so that a line may end between any two of them (UAX #14, class ID). */
const ideograph =
  /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff01-\uff9f]|[\ud840-\ud887][\udc00-\udfff]/u;
/** May not begin a line: closing brackets, full stops, small kana and marks of length (JIS X 4051). */
const noStart =
  /[、。，．・：；？！）］｝〕〉》」』】〙〗〟’”ーゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ,.:;?!)\]}%‰℃]/u;
/** May not end a line: opening brackets and signs before an amount. */
const noEnd = /[（［｛〔〈《「『【〘〖〝‘“([{¥￥$€£]/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The text cut where a line may end: after blanks, after hyphens inside words, between ideographs. Joined, the parts are
 * the text again. It is the part of UAX #14 that invoices need.
 */
export function breakable(text: string): string[] {
  const parts: string[] = [];
  for (const word of text.match(/[^ ]*(?: +|$)/g) ?? []) {
    if (word === '') continue;
    if (ideograph.test(word)) parts.push(...breakIdeographs(word));
    else parts.push(...word.split(/(?<=\p{L}[-\u2010\u2013])(?=\p{L})/u));
  }
  return parts;
}

function breakIdeographs(word: string): string[] {
  const parts: string[] = [];
  let part = '';
  let before = '';
  for (const character of word) {
    const mayBreak =
      part !== '' &&
      (ideograph.test(before) || ideograph.test(character)) &&
      character !== ' ' &&
      !noStart.test(character) &&
      !noEnd.test(before);
    if (mayBreak) {
      parts.push(part);
      part = '';
    }
    part += character;
    before = character;
  }
  return [...parts, part];
}

/** The characters as readers count them, marks and joined signs with their letter. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
