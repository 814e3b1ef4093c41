import { direction, fill } from '../../../core/locale/locale.ts';

/**
 * Returns a function that fills the placeholders of a mail's sentences. `always` are values of every sentence. In
 * right-to-left sentences, names and figures keep their own direction (Unicode UAX 9, isolates).
 */
export function createSentences(locale: string, always: Readonly<Record<string, string>>) {
  const isolated = direction(locale) === 'rtl' ? (text: string) => `\u2068${text}\u2069` : (text: string) => text;
  return (sentence: string, values: Readonly<Record<string, string>> = {}): string => {
    const given = Object.entries({ ...always, ...values }).map(([key, text]) => [key, isolated(text)]);
    return fill(sentence, Object.fromEntries(given));
  };
}
