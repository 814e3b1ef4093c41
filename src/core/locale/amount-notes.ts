/**
 * The small texts beside a large amount. First the currency's code, because dollars, kronor, yen and yuan share symbols.
 * The code is left out if the amount already has it. Then the note, such as “still due”.
 */
export function amountNotes(amount: string, currency: string, note = ''): string[] {
  return [amount.includes(currency) ? '' : currency, note].filter(Boolean);
}
