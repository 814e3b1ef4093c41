import type { KycType } from '../../core/kyc/sep9-fields.ts';
import type { KycTier } from '../../core/kyc/tiers.ts';

/** The contract of identity providers, which check customers. A provider has no clock: `now` is passed in. */

/** The names and values of fields by SEP-9. */
export type KycValues = Readonly<Record<string, string>>;

/** A customer at the provider. */
export interface CheckSubject {
  /** The service's name of the customer at the provider. It stays the same for all checks of the customer. */
  readonly subject: string;
  /** Counts the checks of the customer, from 1. */
  readonly attempt: number;
  /** The provider's own id of the customer, once it has answered. */
  readonly reference: string | null;
  readonly now: Date;
}

/** A check to begin. Values are sent to the provider, and never logged. */
export interface CheckRequest extends CheckSubject {
  readonly type: KycType;
  readonly tier: KycTier;
  readonly values: KycValues;
}

/**
 * The state of a check. `pending`: the provider has not decided. `more_needed`: it needs the named fields (again).
 * `unknown`: no answer, so the service asks again. Reasons are for the customer, and contain no personal data.
 */
export type CheckOutcome =
  | { readonly state: 'pending' | 'approved'; readonly reference: string }
  | {
      readonly state: 'more_needed';
      readonly reference: string;
      readonly reasons: readonly string[];
      readonly fields: readonly string[];
    }
  | { readonly state: 'rejected'; readonly reference: string; readonly reasons: readonly string[] }
  | { readonly state: 'unknown' };

/** A signed callback. It only says that the provider knows something new: the service asks the provider. */
export interface ProviderCallback {
  readonly subject: string;
  readonly reference: string | null;
  /** The provider's id of the callback. */
  readonly id: string;
  /** When the provider made it. */
  readonly at: Date;
}

/** A provider of identity checks. */
export interface KycProvider {
  readonly id: string;
  readonly livemode: boolean;
  /** Begins a check. Repeated requests of the same attempt begin one check. */
  submit(request: CheckRequest): Promise<CheckOutcome>;
  /** The state of the customer's newest check. Null if the provider does not know the customer. */
  read(subject: CheckSubject): Promise<CheckOutcome | null>;
  /** The callback of a request. Null unless the provider has signed this body recently. */
  verify(headers: Readonly<Record<string, unknown>>, body: Buffer, now: Date): ProviderCallback | null;
  /** Why calls fail, for the operator. Null if they succeed. */
  problem?(): string | null;
  close?(): void;
}
