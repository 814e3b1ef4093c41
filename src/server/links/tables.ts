import type { ColumnType, Generated } from 'kysely';
import type { LineItem } from '../../api/line-item.ts';
import type { CustomAmount, LinkStatus } from '../../api/link.ts';
import type { PaymentMethod } from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import type { Json, Moment, MomentOrNull } from '../platform/db/tables.ts';

export interface PaymentLinksTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: LinkStatus;
  amount: bigint | null;
  currency: string;
  custom_amount: ColumnType<CustomAmount | null, string | null, string | null>;
  description: string | null;
  reference: string | null;
  line_items: ColumnType<LineItem[] | null, string | null, string | null>;
  payment_methods: PaymentMethod[];
  settlement_asset: string;
  settlement_address: string | null;
  redirect_url: string | null;
  success_message: string | null;
  locale: string | null;
  metadata: Json<Metadata>;
  allow_partial: boolean;
  max_uses: number | null;
  uses: Generated<number>;
  opens: Generated<number>;
  unpaid_reservation_seconds: Generated<number>;
  /**
   * Money of completed payments, in minor units of the link's currency. On a link paid in parts, includes amounts
   * forgiven within the tolerance.
   */
  collected: Generated<bigint>;
  received: ColumnType<Record<string, string>, string | undefined, string>;
  starts_at: MomentOrNull;
  expires_at: MomentOrNull;
  completed_at: MomentOrNull;
  /** When to end open payments that no payer has begun. A used link also ends begun and partly paid payments. */
  closing_at: MomentOrNull;
  event_sequence: Generated<number>;
  created_by_key: string;
  created_at: Moment;
}

export interface PaymentLinkRoutesTable {
  link_id: string;
  merchant_id: string;
}

export interface PaymentLinkReservationsTable {
  merchant_id: string;
  payment_id: string;
  link_id: string;
  livemode: boolean;
  amount: bigint;
  state: 'reserved' | 'lost';
  due_at: MomentOrNull;
  reserved_at: MomentOrNull;
}

export interface PaymentLinkVisitsTable {
  merchant_id: string;
  link_id: string;
  visitor: Buffer;
  network: Buffer | null;
  told: Generated<boolean>;
  seen_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    payment_links: PaymentLinksTable;
    payment_link_routes: PaymentLinkRoutesTable;
    payment_link_reservations: PaymentLinkReservationsTable;
    payment_link_visits: PaymentLinkVisitsTable;
  }
}
