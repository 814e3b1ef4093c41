import { findAll, textAt, type XmlElement } from '../../../../core/xml.ts';

/** Parts that pain.002 and camt.054 share. */

/** The bank's reason: its first code, and all codes and texts after it. */
export function reasonAt(
  element: XmlElement,
  path: string,
): { readonly code: string | null; readonly text: string | null } {
  const reasons = findAll(element, path);
  const codes = reasons.map(reason => textAt(reason, 'Rsn/Cd') ?? textAt(reason, 'Rsn/Prtry'));
  const first = codes.findIndex(code => code !== null);
  const words = reasons.flatMap((reason, index) => [
    ...(index === first ? [] : [codes[index] ?? '']),
    ...findAll(reason, 'AddtlInf').map(({ text }) => text),
  ]);
  return { code: codes[first] ?? null, text: words.filter(text => text !== '').join(' ') || null };
}

/** A reference, or null where the bank wrote that there is none. */
export function referenceAt(element: XmlElement, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(element, path);
    if (text !== null && !/^not ?provided$/i.test(text)) return text;
  }
  return null;
}

/** The first text that looks like the name of one of our files, otherwise the first text. */
export function fileNameOf(...names: readonly (string | null)[]): string | null {
  return names.find(name => name?.startsWith('bf-')) ?? names.find(name => name !== null) ?? null;
}
