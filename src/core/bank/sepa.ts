/** IBAN countries of the SEPA schemes. Source: European Payments Council, EPC409-09 (2025). */
const countries = new Set(
  (
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI ' +
    'SK SM VA'
  ).split(' '),
);

/** Whether the IBAN is of a country whose banks accept SEPA credit transfers. Does not verify check digits. */
export function isSepaIban(iban: string): boolean {
  return countries.has(iban.trim().slice(0, 2).toUpperCase());
}
