import type { Kyc, KycField, KycTier } from '../../../api/kyc/kyc.ts';
import { type StateTable, sentenceCase } from '../../controls/status-chip.ts';

/** Words and tones of the states of an identity check. Those that wait for staff come first. */
export const kycStates: StateTable = {
  under_review: ['Under review', 'warn'],
  incomplete: ['Incomplete', 'busy'],
  approved: ['Approved', 'good'],
  rejected: ['Rejected', 'bad'],
  not_started: ['Not started', 'plain'],
};

/** The name of a tier. Null: no tier. */
export const tierWords = (tier: KycTier | null): string => (tier === null ? 'none' : sentenceCase(tier));

/** The approved tier, and the tier that is checked, for example `Basic, Standard is checked`. */
export function tiersWords({ tier, requested_tier: asked, status }: Kyc): string {
  const isOpen = status === 'incomplete' || status === 'under_review';
  if (!isOpen || tier === asked) return tier === null ? 'None' : tierWords(tier);
  return tier === null ? `${tierWords(asked)} is checked` : `${tierWords(tier)}, ${tierWords(asked)} is checked`;
}

export const typeWords = { person: 'Person', organization: 'Organization' } as const satisfies Record<
  Kyc['type'],
  string
>;

/** A field in words: the beginning of its description, for example `Date of birth`. */
export function fieldWords({ name, description }: Pick<KycField, 'name' | 'description'>): string {
  return description.split(/[,.]/)[0] || sentenceCase(name);
}
