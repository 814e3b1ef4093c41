import type { GiveKyc, KycStatus, KycTier, SessionKyc } from '../../api/kyc/kyc.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { OwnedPayouts } from '../payouts/owned/owned-payout.service.ts';
import type { Executor } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { ConversionBegin } from '../settlement/conversions/conversion-begin.service.ts';

/** The customer's form for a ramp, and the tier that it needs. */
interface RampKycForm {
  readonly customerId: string;
  readonly session: RampSession;
  readonly tier: KycTier;
}

/** A ramp, and whether the merchant vouches for its customer. */
export interface RampSession {
  readonly id: string;
  readonly vouched: boolean;
}

/** What ramps need. */
export interface RampDeps extends Omit<PaymentRouteDeps, 'findCustomer'> {
  readonly ownedPayouts: OwnedPayouts;
  readonly findCustomer: (
    scope: MerchantScope,
    id: string,
  ) => Promise<{ email: string; name: string | null; country: string | null } | null>;
  readonly kycStandings: {
    /** The customer's identity check, and its approved tier. */
    standing(
      db: Executor,
      scope: MerchantScope,
      customerId: string,
      session?: RampSession,
    ): Promise<{ readonly status: KycStatus; readonly tier: KycTier | null }>;
  };
  readonly kycForms: {
    read(caller: Caller, form: RampKycForm): Promise<SessionKyc>;
    give(caller: Caller, form: RampKycForm, body: GiveKyc, files: ReadonlyMap<string, Buffer>): Promise<SessionKyc>;
  };
  readonly money: {
    /** The most of the asset that the treasury can send now, in smallest units, or can buy if `wanted` exceeds that. */
    coverage(asset: string, wanted: bigint): Promise<bigint>;
    readonly settlement: { readonly convert: ConversionBegin };
  };
}
