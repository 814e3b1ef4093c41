import type { Kyc, KycTier, KycValues as WireValues } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { reachesTier } from '../../core/kyc/tiers.ts';
import type { Executor } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { holds, type KycSession } from './access/kyc-session.ts';
import { findKyc } from './kyc.store.ts';
import { kycIdOf, newKyc } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import type { KycValues } from './provider.ts';
import { askScreens } from './screen.ts';
import { openValues } from './sealed-values.ts';
import type { KycRow } from './tables.ts';

/** Throws `resource_missing` unless the caller has the customer. */
export async function assertCustomer(
  { findCustomer }: Pick<KycDeps, 'findCustomer'>,
  caller: Caller,
  customerId: string,
): Promise<void> {
  if ((await findCustomer(scopeOf(caller), customerId)) !== null) return;
  throw new PayError('resource_missing', `No customer ${customerId.slice(0, 64)} exists. Check the id.`, {
    param: 'id',
  });
}

/** The customer's record. A customer without data has a new one, which is not stored. Throws `resource_missing`. */
export async function readKyc(deps: KycDeps, caller: Caller, customerId: string): Promise<KycRow> {
  await assertCustomer(deps, caller, customerId);
  const scope = scopeOf(caller);
  return (await findKyc(deps.db, scope, kycIdOf(customerId))) ?? newKyc(scope, customerId, caller.now);
}

/** The values of the customer's fields. */
export async function revealKyc(deps: KycDeps, caller: Caller, customerId: string): Promise<WireValues> {
  const row = await readKyc(deps, caller, customerId);
  return { object: 'kyc_values', customer: customerId, values: { ...openValues(deps.secrets, row) } };
}

/** Asks the screens before an approval. Throws `illegal_state` for a hit. */
export async function assertClear(
  { kycScreens }: Pick<KycDeps, 'kycScreens'>,
  caller: Caller,
  row: KycRow,
  values: KycValues,
  tier: KycTier = row.requested_tier,
): Promise<void> {
  const customer = { ...scopeOf(caller), customerId: row.customer_id, type: row.type, tier, values };
  const [hit] = await askScreens(kycScreens, customer);
  if (hit === undefined) return;
  const message = `The screen ${hit.screen} holds the approval: ${hit.reason} A person can approve with override_flags.`;
  throw new PayError('illegal_state', message);
}

/** The standing of a customer, for other modules. */
export interface KycStanding {
  readonly status: Kyc['status'];
  /** The approved tier. It stays while a higher tier is checked. */
  readonly tier: KycTier | null;
}

const unknownStanding: KycStanding = { status: 'not_started', tier: null };

/** Questions of other modules about customers. An approval counts for every later use. */
export const kycStandings = {
  /** Unless the merchant vouches for the customer, an approval counts in its own session only. A rejection always counts. */
  standing: async (
    db: Executor,
    scope: MerchantScope,
    customerId: string,
    session: KycSession | null = null,
  ): Promise<KycStanding> => {
    const row = await findKyc(db, scope, kycIdOf(customerId));
    if (row === null) return unknownStanding;
    const standing = { status: row.status, tier: row.tier };
    return holds(session, row) || row.status === 'rejected' ? standing : unknownStanding;
  },
  /** Whether the customer is approved at the tier, or above it. */
  meets: async (db: Executor, scope: MerchantScope, customerId: string, tier: KycTier): Promise<boolean> =>
    reachesTier((await kycStandings.standing(db, scope, customerId)).tier, tier),
};
