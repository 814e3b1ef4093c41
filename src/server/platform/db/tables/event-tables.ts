import type { ColumnType, Generated } from 'kysely';
import type { Metadata } from '../../../../api/schema.ts';
import type { Json, Moment } from '../column.ts';

/** Columns of `events`; what they mean is said in the migration that makes them. */
export interface EventsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  type: string;
  resource_id: string;
  sequence: number;
  object: Json<unknown>;
  previous: ColumnType<unknown | null, string | null, string | null>;
  api_version: string;
  sample: Generated<boolean>;
  created_at: Moment;
  recorded_at: ColumnType<Date, Date | undefined, Date>;
  dispatched: Generated<boolean>;
}

/** Columns of `webhook_endpoints`; what they mean is said in the migration that makes them. */
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
  previous_secret_until: ColumnType<Date | null, Date | null, Date | null>;
  failing_since: ColumnType<Date | null, Date | null, Date | null>;
  look_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  wakes: Generated<bigint>;
  metadata: ColumnType<Metadata, string | undefined, string>;
  created_at: Moment;
}

/** Columns of `webhook_deliveries`; what they mean is said in the migration that makes them. */
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
  next_attempt_at: ColumnType<Date | null, Date | null, Date | null>;
  delivered_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
  recorded_at: ColumnType<Date, Date | undefined, Date>;
}

/** Columns of `idempotency_keys`; what they mean is said in the migration that makes them. */
export interface IdempotencyKeysTable {
  merchant_id: string;
  livemode: boolean;
  path: string;
  key: string;
  fingerprint: Buffer;
  answer_status: number | null;
  answer_location: string | null;
  answer_body: Buffer | null;
  answer_text: string | null;
  resource_id: string | null;
  locked_until: Moment;
  expires_at: Moment;
  created_at: ColumnType<Date, Date | undefined, Date>;
}
