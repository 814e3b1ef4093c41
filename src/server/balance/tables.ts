import type { Generated, Selectable } from 'kysely';
import type { Metadata } from '../../api/schema.ts';
import type { Json, Moment, MomentOrNull } from '../platform/db/tables.ts';

interface WithdrawalsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: 'awaiting_approval' | 'pending' | 'completed' | 'failed';
  amount: bigint;
  currency: string;
  paid_asset: string;
  paid_amount: bigint;
  destination: Json<Record<string, string>>;
  delivery: 'payment' | 'claimable_balance';
  tx_hash: string | null;
  ledger: number | null;
  failure_code: string | null;
  failure_message: string | null;
  metadata: Json<Metadata>;
  event_sequence: Generated<number>;
  created_at: Moment;
  completed_at: MomentOrNull;
}

/** The two sides of an exchange. Amounts are in smallest units. */
interface ExchangeColumns {
  merchant_id: string;
  id: string;
  livemode: boolean;
  from_currency: string;
  from_amount: bigint;
  to_currency: string;
  to_amount: bigint;
  rate: string;
  /** The value of `from` in US cents. Null: made before the hourly limit existed. */
  dollar_cents: bigint | null;
  created_at: Moment;
}

interface BalanceQuotesTable extends ExchangeColumns {
  conversion_id: string | null;
  expires_at: Moment;
}

interface ConversionsTable extends ExchangeColumns {
  quote_id: string;
  status: Generated<'awaiting_approval' | 'completed' | 'failed'>;
  event_sequence: Generated<number>;
}

interface TopUpsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  currency: string;
  rail: string;
  reference: string | null;
  account: string | null;
  tag: string | null;
  amount: bigint | null;
  amount_received: bigint;
  status: 'awaiting_funds' | 'received';
  metadata: Json<Metadata>;
  event_sequence: Generated<number>;
  created_at: Moment;
}

export type WithdrawalRow = Selectable<WithdrawalsTable>;
export type BalanceQuoteRow = Selectable<BalanceQuotesTable>;
export type ConversionRow = Selectable<ConversionsTable>;
export type TopUpRow = Selectable<TopUpsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    withdrawals: WithdrawalsTable;
    balance_quotes: BalanceQuotesTable;
    conversions: ConversionsTable;
    top_ups: TopUpsTable;
  }
}
