/** Whether the text is a language tag that formatters take, like `en` or `pt-BR` (RFC 5646; Unicode BCP 47 locale identifiers). */
export function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
