import type { KycType } from './sep9-fields.ts';

/** The tiers of identity checks, from the least to the most demanding. */
export const kycTiers = ['basic', 'standard', 'enhanced'] as const;
export type KycTier = (typeof kycTiers)[number];

/** The fields that each tier needs in addition to the tiers below it. */
const added: Readonly<Record<KycTier, Readonly<Record<KycType, readonly string[]>>>> = {
  basic: {
    person: ['first_name', 'last_name', 'birth_date', 'address_country_code'],
    organization: ['organization.name', 'organization.registration_number', 'organization.address_country_code'],
  },
  standard: {
    person: ['address', 'city', 'mobile_number', 'id_type', 'id_country_code', 'id_number', 'id_expiration_date'],
    organization: [
      'organization.registered_address',
      'organization.city',
      'organization.registration_date',
      'organization.director_name',
      'organization.email',
    ],
  },
  enhanced: {
    person: ['birth_country_code', 'occupation', 'tax_id', 'tax_id_name', 'photo_id_front', 'photo_proof_residence'],
    organization: [
      'organization.VAT_number',
      'organization.number_of_shareholders',
      'organization.shareholder_name',
      'organization.phone',
      'organization.photo_incorporation_doc',
      'organization.photo_proof_address',
    ],
  },
};

const levelOf = (tier: KycTier) => kycTiers.indexOf(tier);

/** The fields that a customer needs for the tier, those of lower tiers included. */
export function fieldsNeeded(type: KycType, tier: KycTier): readonly string[] {
  return kycTiers.slice(0, levelOf(tier) + 1).flatMap(each => added[each][type]);
}

/** Whether a customer approved at `tier` may do what needs `wanted`. Null: the customer is not approved. */
export function reachesTier(tier: KycTier | null, wanted: KycTier): boolean {
  return tier !== null && levelOf(tier) >= levelOf(wanted);
}
