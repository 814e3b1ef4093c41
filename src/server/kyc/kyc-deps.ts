import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import type { Merchant, MerchantScope } from '../platform/merchant.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { KycProvider } from './provider.ts';
import type { KycScreen } from './screen.ts';

/** What identity checks need. */
export interface KycDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly once: Once;
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'railToken' | 'openRailToken'>;
  readonly wake: (sweep: string) => void;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly findCustomer: (scope: MerchantScope, id: string) => Promise<object | null>;
  /** Checks customers. Null: the merchant's staff decides. */
  readonly kycProvider: KycProvider | null;
  readonly kycScreens: readonly KycScreen[];
  /** Encrypts files. */
  readonly kycKeys: KeyRing;
}
