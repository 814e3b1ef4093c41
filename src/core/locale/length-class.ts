/** Maximum lengths in characters. The pages' style sheet has a font size for each. */
const lengths = [14, 16, 18, 22];

/** The style sheet's class for the amount's length. Long amounts get a smaller font, so that they stay on one line. */
export function lengthClass(amount: string): string {
  const { length } = amount.replace(/\p{Cf}/gu, '');
  return length <= 12 ? '' : `to-${lengths.find(most => length <= most) ?? 28}`;
}
