import type { Generated, Selectable } from 'kysely';
import type { KycStatus, KycTier } from '../../api/kyc/kyc.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import type { CoinDeposit, RampDirection, RampStatus } from '../../api/ramps/ramp.ts';
import type { RampFee, RampLimit, RampMethod, RampTerms } from '../../api/ramps/ramp-settings.ts';
import type { Metadata } from '../../api/schema.ts';
import type { Json, Moment, MomentOrNull } from '../platform/db/tables.ts';

interface RampTermsTable {
  merchant_id: string;
  enabled: boolean;
  assets: string[];
  methods: RampMethod[];
  fees: Json<readonly RampFee[]>;
  limits: Json<readonly RampLimit[]>;
  late_money: RampTerms['late_money'];
}

/** What was priced. Amounts are in minor units, `coins` in smallest units of the asset. */
interface PriceColumns {
  fee_basis_points: number;
  fee_fixed: bigint;
  rate_numerator: bigint;
  rate_denominator: bigint;
}

interface RampQuotesTable extends PriceColumns {
  merchant_id: string;
  id: string;
  livemode: boolean;
  direction: RampDirection;
  currency: string;
  asset: string;
  method: RampMethod;
  gross: bigint;
  fee: bigint;
  coins: bigint;
  reserves: boolean;
  customer_id: string | null;
  ramp_id: string | null;
  created_at: Moment;
  expires_at: Moment;
}

/** The wallet that gets the coins, in the fields of the chain. */
export type RampWallet = Readonly<Record<string, string>> & { readonly address: string };

/**
 * A ramp. `amount_in`, `amount_fee`, `amount_refunded` and `amount_disputed` are money in minor units: of a sale, the
 * value of the sold coins and its parts. `amount_out`: the bought or sold coins in smallest units.
 */
interface RampsTable extends PriceColumns {
  merchant_id: string;
  id: string;
  livemode: boolean;
  direction: RampDirection;
  status: RampStatus;
  currency: string;
  asset: string;
  method: RampMethod;
  wallet: Json<RampWallet | null>;
  payout_destination: Json<SettlementDestination | null>;
  payout_step: bigint;
  payout_id: string | null;
  deposit: Json<Omit<CoinDeposit, 'checkout_url'> | null>;
  claimable: boolean;
  customer_id: string;
  customer_email: string;
  customer_name: string | null;
  vouched: Generated<boolean>;
  country: string | null;
  quote_id: string | null;
  amount_in: bigint;
  amount_fee: bigint;
  amount_refunded: Generated<bigint>;
  amount_disputed: Generated<bigint>;
  amount_out: bigint;
  price_expires_at: Moment;
  at_market: Generated<boolean>;
  kyc_status: KycStatus;
  tier_needed: KycTier | null;
  payment_id: string | null;
  amount_delivered: Generated<bigint>;
  deliveries: Generated<number>;
  delivery: 'payment' | 'claimable_balance' | null;
  tx_hash: string | null;
  ledger: number | null;
  failure_code: string | null;
  failure_message: string | null;
  tries: Generated<number>;
  due_at: MomentOrNull;
  return_url: string | null;
  client_reference: string | null;
  metadata: Json<Metadata>;
  version: Generated<number>;
  event_sequence: Generated<number>;
  status_at: Moment;
  created_at: Moment;
  paid_at: MomentOrNull;
  completed_at: MomentOrNull;
}

export type RampQuoteRow = Selectable<RampQuotesTable>;
export type RampRow = Selectable<RampsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    ramp_terms: RampTermsTable;
    ramp_quotes: RampQuotesTable;
    ramps: RampsTable;
  }
}
