/** Numbers of characters for which the pages' style sheet has a size. */
const lengths = [14, 16, 18, 22];

/** The length of an amount as a class of the style sheet. Long amounts are smaller, so that they stay on one line. */
export function lengthClass(amount: string): string {
  const { length } = amount.replace(/\p{Cf}/gu, '');
  return length <= 12 ? '' : `to-${lengths.find(most => length <= most) ?? 28}`;
}
