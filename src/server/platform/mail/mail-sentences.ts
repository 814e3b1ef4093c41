import { direction, fill } from '../../../core/locale/locale.ts';
import { isolated, plainPart } from './plain-line.ts';

/** Letters of the right-to-left scripts that names may use. */
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Returns a function that fills the placeholders of a mail's sentences. `always` are values for every sentence. Values
 * lose line breaks and direction controls. All values of a right-to-left sentence are isolated, so that they keep their
 * own direction (Unicode UAX 9). In other sentences, only right-to-left values are isolated.
 */
export function createSentences(locale: string, always: Readonly<Record<string, string>>) {
  const isTurned = direction(locale) === 'rtl';
  const inert = (text: string) => {
    const plain = plainPart(text);
    return isTurned || rightToLeft.test(plain) ? isolated(plain) : plain;
  };
  return (sentence: string, values: Readonly<Record<string, string>> = {}): string => {
    const given = Object.entries({ ...always, ...values }).map(([key, text]) => [key, inert(text)]);
    return fill(sentence, Object.fromEntries(given));
  };
}
