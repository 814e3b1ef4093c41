import type { ColumnType, Generated } from 'kysely';
import type { Json, Moment, MomentByDefault } from '../db/tables.ts';

/** Columns of `events`. */
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
  recorded_at: MomentByDefault;
  dispatched: Generated<boolean>;
}

declare module '../db/tables.ts' {
  interface Tables {
    events: EventsTable;
  }
}
