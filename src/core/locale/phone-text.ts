/** Country codes of E.164 with one or two digits. All others have three. Source: ITU-T E.164, list of country codes. */
const shortCode = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** A phone number (E.164) in groups for reading: `+256772123456` becomes `+256 772 123 456`. */
export function phoneText(number: string): string {
  const digits = number.replace(/\D/g, '');
  const [code] = shortCode.exec(digits) ?? [digits.slice(0, 3)];
  const groups = digits.slice(code.length).match(/\d{3}(?=\d{2})|\d+/g) ?? [];
  return `+${[code, ...groups].join(' ')}`;
}
