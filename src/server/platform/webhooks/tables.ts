import type { ColumnType, Generated } from 'kysely';
import type { Metadata } from '../../../api/schema.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../db/tables.ts';

/** Columns of `webhook_endpoints`. */
export interface WebhookEndpointsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  url: string;
  events: string[];
  description: string | null;
  status: 'enabled' | 'disabled';
  disabled_reason: 'gone' | 'failing' | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: MomentOrNull;
  failing_since: MomentOrNull;
  look_at: MomentOrNull;
  wakes: Generated<bigint>;
  metadata: ColumnType<Metadata, string | undefined, string>;
  created_at: Moment;
}

/** Columns of `webhook_deliveries`. */
export interface WebhookDeliveriesTable {
  merchant_id: string;
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  event_recorded_at: Moment;
  livemode: boolean;
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  attempts: Generated<number>;
  response_status: number | null;
  last_error: string | null;
  next_attempt_at: MomentOrNull;
  delivered_at: MomentOrNull;
  created_at: Moment;
  recorded_at: MomentByDefault;
}

declare module '../db/tables.ts' {
  interface Tables {
    webhook_endpoints: WebhookEndpointsTable;
    webhook_deliveries: WebhookDeliveriesTable;
  }
}
