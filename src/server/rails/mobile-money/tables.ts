import type { ColumnType, Generated, Selectable } from 'kysely';
import type { MomentOrNull } from '../../platform/db/tables.ts';

/** A row of `mpesa_orders`: an order, stored before it is sent to M-Pesa. */
export type MpesaOrderRow = Selectable<MpesaOrdersTable>;

interface MpesaOrdersTable {
  merchant_id: string;
  order_id: string;
  reference: string;
  amount: bigint;
  state: Generated<'sent' | 'accepted' | 'completed' | 'failed'>;
  conversation_id: string | null;
  asked_at: MomentOrNull;
  reported_code: string | null;
  receipt: string | null;
  failure_code: string | null;
  failure_message: string | null;
  created_at: ColumnType<Date, Date, never>;
}

/** A row of `mobile_money_prompts`: a prompt, stored before it is sent to the operator. */
export type PromptRow = Selectable<MobileMoneyPromptsTable>;

interface MobileMoneyPromptsTable {
  merchant_id: string;
  attempt_id: string;
  rail: string;
  amount: bigint;
  currency: string;
  state: Generated<'sent' | 'accepted' | 'collected' | 'refused'>;
  provider_id: string | null;
  receipt: string | null;
  refusal_code: string | null;
  expires_at: ColumnType<Date, Date, Date>;
  created_at: ColumnType<Date, Date, never>;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mpesa_orders: MpesaOrdersTable;
    mobile_money_prompts: MobileMoneyPromptsTable;
  }
}
