/** The text with ASCII digits: `٤٢` and `４２` (full-width) become `42`. */
function plainDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, digit => String(digitValue(digit)));
}

/** The value of a digit. Unicode lists each script's digits from 0 to 9 without a gap. */
function digitValue(digit: string): number {
  let zero = digit.codePointAt(0) ?? 0;
  const code = zero;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

/**
 * Minor units of a typed amount (`12.50`, `12,50`, `1.234,50`, `1,234.50`, `١٢٫٥`). Null for other text. The last
 * separator is the decimal sign if it is `decimalSign`, or if not exactly three digits follow. So `12.50` is never read
 * as 1250. A separator that occurs twice is never the decimal sign.
 */
export function parseAmount(text: string, decimals: number, decimalSign: string): number | null {
  const plain = plainDigits(text)
    .replace(/[\s'’٬\u200e\u200f\u061c]/g, '')
    .replace('٫', '.');
  const sign = decimalSign === '٫' ? '.' : decimalSign;
  const [, head = plain, last, tail = ''] = /^(.*)([.,])(\d*)$/.exec(plain) ?? [];
  const isDecimal = last !== undefined && !head.includes(last) && (last === sign || tail.length !== 3);
  const whole = isDecimal ? head : plain;
  if (!/^(\d+|\d{1,3}([.,])\d{3}(\2\d{3})*)$/.test(whole) || (isDecimal && tail.length > decimals)) return null;
  const amount = Number(whole.replace(/\D/g, '') + (isDecimal ? tail : '').padEnd(decimals, '0'));
  return Number.isSafeInteger(amount) ? amount : null;
}

/** The decimal separator of the locale. */
export function decimalSign(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}
