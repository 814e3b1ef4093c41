/**
 * The account part (BBAN) of each country's IBAN: numbers of digits (n), capitals (a), and digits or capitals (c).
 * Source: IBAN Registry of ISO 13616, published by SWIFT.
 */
const structures: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c CH5n12c CR18n CY8n16c ' +
    'CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n GI4a15c GL14n ' +
    'GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c KZ3n13c LB4n20c ' +
    'LC4a24c LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n MT4a5n18c MU4a19n3a ' +
    'NI4a20n NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c SA2n18c SC4a20n3a SD14n ' +
    'SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n VG4a16n XK16n YE4a4n18c'
  )
    .split(' ')
    .map(entry => [entry.slice(0, 2), entry.slice(2)]),
);

const classes: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[0-9A-Z]' };

/**
 * Whether the text is an IBAN of a known country with the right form and check digits. Blanks and lower case are
 * allowed.
 */
export function isIban(text: string): boolean {
  const iban = plain(text);
  const country = iban.slice(0, 2);
  const structure = Object.hasOwn(structures, country) ? structures[country] : undefined;
  if (structure === undefined) return false;
  const bban = iban.slice(4);
  const pattern = structure.replace(/(\d+)([nac])/g, (_, count, letter) => `${classes[letter]}{${count}}`);
  return new RegExp(`^${pattern}$`).test(bban) && iban.slice(2, 4) === computeCheckDigits(country, bban);
}

/** The IBAN in groups of four, its printed form (ISO 13616). */
export function formatIban(text: string): string {
  return plain(text).replace(/(.{4})(?=.)/g, '$1 ');
}

/** The two check digits, `02` to `98`, of an IBAN with this country and account part (ISO 7064 MOD 97-10). */
export function computeCheckDigits(country: string, bban: string): string {
  let remainder = 0;
  for (const character of `${bban}${country}00`) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return String(98 - remainder).padStart(2, '0');
}

function plain(text: string): string {
  return text.replace(/[ \u00a0]/g, '').toUpperCase();
}
