import { checkDigit } from './account-number.ts';

/**
 * Whether the text is a routing transit number of a US bank: nine digits in an assigned range. The first two digits are
 * 00–12 (districts and government), 21–32 (thrift), 61–72 (electronic) or 80 (travellers' cheques). The checksum
 * 3·(d1+d4+d7) + 7·(d2+d5+d8) + (d3+d6+d9) is a multiple of ten. Source: American Bankers Association, routing number
 * policy.
 */
export function isRoutingNumber(text: string): boolean {
  if (!/^(0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)[0-9]{7}$/.test(text)) return false;
  return checkDigit(text.slice(0, 8), [3, 7, 1]) === text[8] && text !== '000000000';
}
