import { inflateSync } from 'node:zlib';

/** Names of PDF objects that run programs, send data, or hide other files (ISO 32000-1 §7.6, §7.11, §12.6). */
const forbidden: Readonly<Record<string, string>> = {
  Encrypt: 'is an encrypted PDF. Send it without a password.',
  JavaScript: 'is a PDF with JavaScript.',
  Launch: 'is a PDF that starts programs.',
  EmbeddedFile: 'is a PDF with embedded files.',
  EmbeddedFiles: 'is a PDF with embedded files.',
  RichMedia: 'is a PDF with embedded media.',
  SubmitForm: 'is a PDF with a form that sends data.',
  ImportData: 'is a PDF with a form that loads data.',
  GoToE: 'is a PDF with embedded files.',
};

/** Most bytes that the object streams of a PDF may contain once they are decompressed. */
const mostInflated = 32 * 1_048_576;

/** Any character of a name may be written as `#` and two hexadecimal digits (§7.3.5). */
const letterOf = (char: string) => {
  const [high = '', low = ''] = char.charCodeAt(0).toString(16);
  const eitherCase = (digit: string) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit);
  return `(?:${char}|#${eitherCase(high)}${eitherCase(low)})`;
};
const patternOf = (names: readonly string[]) =>
  `/(?:${names.map(name => [...name].map(letterOf).join('')).join('|')})(?![^\\s()<>[\\]{}/%])`;

const forbiddenPattern = new RegExp(patternOf(Object.keys(forbidden)));
const objectStreamPattern = new RegExp(`${patternOf(['ObjStm'])}|${patternOf(['First'])}`);
const filterPattern = new RegExp(patternOf(['Filter', 'F', 'DecodeParms', 'DP']), 'g');
const onlyFlatePattern = /\/Filter\s*(?:\/FlateDecode(?=[\s/>])|\[\s*\/FlateDecode\s*\])/;

/** Why the PDF is rejected, or null. The field's name and this text form a sentence. */
export function pdfProblem(bytes: Buffer): string | null {
  const text = bytes.toString('latin1');
  if (!/^%PDF-[12]\.\d/.test(text) || !text.slice(-1024).includes('%%EOF')) return 'is a damaged PDF.';
  return forbiddenIn(text) ?? objectStreamProblem(bytes, text);
}

function forbiddenIn(text: string): string | null {
  const found = forbiddenPattern.exec(text)?.[0];
  if (found === undefined) return null;
  const name = found
    .slice(1)
    .replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return forbidden[name] ?? null;
}

/** Object streams contain compressed objects (§7.5.7), so they are searched as well. */
function objectStreamProblem(bytes: Buffer, text: string): string | null {
  let left = mostInflated;
  let start = 0;
  let end = 0;
  for (const { index, 0: keyword } of text.matchAll(/(?<!end)stream[ \t]*(?:\r\n|\r|\n)?/g)) {
    const before = text.slice(start, index);
    const dictionary = before.slice(Math.max(before.lastIndexOf('endobj'), before.lastIndexOf('endstream'), 0));
    start = index + keyword.length;
    if (!objectStreamPattern.test(dictionary)) continue;
    if (end < start) end = bytes.indexOf('endstream', start);
    const content = end === -1 ? null : inflated(bytes.subarray(start, end), dictionary, left);
    if (content === null) return 'is a PDF in an unusual form. Print it to a new PDF, and send that.';
    left -= content.length;
    const problem = forbiddenIn(content.toString('latin1'));
    if (problem !== null) return problem;
  }
  return null;
}

/** The content of an object stream. Null for other filters than Flate, damaged data, and too much data. */
function inflated(content: Buffer, dictionary: string, most: number): Buffer | null {
  const filters = dictionary.match(filterPattern) ?? [];
  // Without a filter, the search of the whole file has seen the content.
  if (filters.length === 0) return Buffer.alloc(0);
  if (filters.length > 1 || !onlyFlatePattern.test(dictionary) || most <= 0) return null;
  try {
    return inflateSync(content, { maxOutputLength: most });
  } catch {
    return null;
  }
}
