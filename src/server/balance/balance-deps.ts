import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';

export interface BalanceMoveDeps
  extends Pick<PaymentDeps, 'db' | 'clock' | 'rates' | 'rails' | 'crypto' | 'outbound' | 'readings'> {
  readonly once: Once;
  /** `conversionHourCap`: whole US dollars that a merchant may convert in an hour; 0: no limit. */
  readonly config: { readonly conversionHourCap: number };
}
