import type { KycFlag, KycTier, KycType } from '../../api/kyc/kyc.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { KycValues } from './provider.ts';

/** A customer whose approval is being decided. */
export interface ScreenedCustomer extends MerchantScope {
  readonly customerId: string;
  readonly type: KycType;
  /** The tier of the approval. */
  readonly tier: KycTier;
  readonly values: KycValues;
}

/**
 * A question asked before each approval: a list of sanctions, or a limit. A hit leaves the decision to the merchant's
 * staff.
 */
export interface KycScreen {
  readonly name: string;
  /** Why the customer needs a person's decision, without personal data. Null: no hit. A rejection delays the approval. */
  screen(customer: ScreenedCustomer): Promise<string | null>;
}

/** Asks all screens. Returns their hits. */
export async function askScreens(screens: readonly KycScreen[], customer: ScreenedCustomer): Promise<KycFlag[]> {
  const answers = await Promise.all(
    screens.map(async ({ name, screen }) => ({ screen: name, reason: await screen(customer) })),
  );
  return answers.flatMap(({ screen, reason }) => (reason === null ? [] : [{ screen, reason }]));
}
