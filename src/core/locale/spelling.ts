/** Regions with British spelling. The texts have American spelling, which stays in all other regions. */
const britishLocale = /^en-(\w{4}-)?(GB|IE|AU|NZ|ZA|IN)\b/i;

/** Parts of American words in the English texts, with their British spelling. */
const british: Readonly<Record<string, string>> = {
  authoriz: 'authoris',
  cancele: 'cancelle',
  installment: 'instalment',
};

const american = new RegExp(Object.keys(british).join('|'), 'gi');

/** The English text in the spelling of the locale: `canceled` in `en`, `cancelled` in `en-GB`. */
export function spelled(text: string, locale: string): string {
  if (!britishLocale.test(locale)) return text;
  return text.replace(american, word => {
    const other = british[word.toLowerCase()] ?? word;
    return `${word[0]}${other.slice(1)}`;
  });
}

/** All texts of a table in the spelling of the locale. */
export function spelledTable<Table extends object>(table: Table, locale: string): Table {
  if (!britishLocale.test(locale)) return table;
  const entries = Object.entries(table).map(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [key, spelled(value, locale)];
    return [key, typeof value === 'object' && value !== null ? spelledTable(value, locale) : value];
  });
  return Object.fromEntries(entries) as Table;
}
