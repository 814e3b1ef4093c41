/** Rules for fields that the EPC code and the Swiss QR code share. */

/** The largest amount of a transfer in a QR code, in cents: 999,999,999.99. */
export const mostCents = 99_999_999_999n;

/** Replaces line ends and control characters by single blanks. A line end would shift all later fields. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
