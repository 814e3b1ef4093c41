import { expect } from 'vitest';
import { streamsOf } from '../../support/read-pdf.ts';

/** Texts that could run code, reorder the page or break the file if a document did not escape them. */
export const javaScript = ') >> endobj 99 0 obj << /S /JavaScript /JS (app.alert(1)) >> /OpenAction 99 0 R';
export const markup = '</text><script>alert(1)</script></rdf:li><x:evil/>]]>--><!ENTITY x SYSTEM "file:///etc/passwd">';
export const overrides = '\u202eTotal 00.1\u202c \u2066\u2067\u2068x\u2069 \u200f\u061c\u200e';
export const joined = '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇨🇭1️⃣👍🏽';
export const broken = '\ud800 \udfff \u0000\u0001\u001b[31m \ufffe\uffff \ue000';
export const stacked = `a${'\u0301'.repeat(2000)}`;

export const hostileTexts = [javaScript, markup, overrides, joined, broken, stacked];

/** Expects that the file has no action except opening a URL. */
export function expectNoActions(bytes: Buffer): void {
  const objects = withoutStrings(bytes);
  expect(objects).not.toMatch(
    /\/(JavaScript|JS|OpenAction|AA|Launch|GoToR|GoToE|SubmitForm|ImportData|RichMedia|EmbeddedGoTo|AcroForm|XFA|Movie|Sound|Rendition)\b/,
  );
  expect(streamsOf(bytes).length).toBeGreaterThan(0);
}

/** The file without its streams and strings. */
function withoutStrings(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\nstream\n[\s\S]*?\nendstream/g, '')
    .replace(/\((?:\\[\s\S]|[^\\()])*\)/g, '()');
}
