import type { ColumnType, Generated } from 'kysely';
import type {
  LineItem,
  NextAction,
  PaymentException,
  PaymentMethod,
  PaymentPhase,
  PaymentStatus,
} from '../../../../api/payment.ts';
import type { Metadata, PostalAddress } from '../../../../api/schema.ts';
import type { Moment } from '../column.ts';
import type {
  ChainCursorsTable,
  CryptoOffersTable,
  DepositRoutesTable,
  DepositTargetsTable,
  WalletTransactionsTable,
} from './crypto-tables.ts';
import type {
  EventsTable,
  IdempotencyKeysTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from './event-tables.ts';
import type {
  CreditNotesTable,
  CustomerCreditsTable,
  InvoiceCountersTable,
  InvoicesTable,
  InvoiceTransactionsTable,
  InvoiceViewsTable,
  TransferRatesTable,
} from './invoice-tables.ts';
import type { LedgerEntriesTable, LedgerTransactionsTable, MerchantEntriesView } from './ledger-tables.ts';
import type {
  PaymentLinkClaimsTable,
  PaymentLinkRoutesTable,
  PaymentLinksTable,
  PaymentLinkVisitsTable,
} from './link-tables.ts';
import type { MailServersTable, MailsTable } from './mail-tables.ts';
import type { InvoiceRemindersTable, RecurringInvoicesTable, RecurringOccurrencesTable } from './reminder-tables.ts';
import type {
  ChannelAccountsTable,
  OutgoingTransfersTable,
  SettlementsTable,
  StellarEnvelopeHashesTable,
  StellarEnvelopesTable,
  StellarEnvelopeTransfersTable,
  TreasuryBalancesTable,
  TreasuryClawbacksTable,
  TreasuryCursorsTable,
} from './settlement-tables.ts';
import type { SignerSpendTable } from './signer-tables.ts';
import type {
  DisputesTable,
  RailCursorsTable,
  RefundPartsTable,
  RefundsTable,
  TransferReturnsTable,
  TransfersTable,
} from './transfer-tables.ts';

/** Columns of `server_keys`; what they mean is said in the migration that makes them. */
export interface ServerKeysTable {
  id: number;
  root: Buffer;
  created_at: ColumnType<Date, Date | undefined, Date>;
  network: Generated<string | null>;
}

/** Columns of `merchants`; what they mean is said in the migration that makes them. */
export interface MerchantsTable {
  id: string;
  name: string;
  support_email: string | null;
  support_url: string | null;
  branding: ColumnType<Record<string, unknown>, string | undefined, string>;
  settlement_asset: Generated<string>;
  stellar_address: string | null;
  allowed_origins: Generated<string[]>;
  redirect_origins: Generated<string[]>;
  client_amounts: Generated<boolean>;
  tolerance_basis_points: Generated<number>;
  tolerance_units: Generated<bigint>;
  quote_seconds: Generated<number>;
  session_seconds: Generated<number>;
  locale: Generated<string>;
  timezone: Generated<string>;
  address: ColumnType<PostalAddress | null, string | null | undefined, string | null>;
  tax_id: string | null;
  iban: string | null;
  bic: string | null;
  invoice_prefix: Generated<string>;
  test_clock_offset_ms: Generated<bigint>;
  created_at: ColumnType<Date, Date | undefined, Date>;
}

/** Columns of `api_keys`; what they mean is said in the migration that makes them. */
export interface ApiKeysTable {
  id: string;
  merchant_id: string;
  hash: Buffer;
  type: 'secret' | 'publishable';
  livemode: boolean;
  name: string | null;
  hint: string;
  scopes: Generated<string[]>;
  created_at: Moment;
  revoked_at: ColumnType<Date | null, Date | null, Date | null>;
}

/** Columns of `payments`; what they mean is said in the migration that makes them. */
export interface PaymentsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: PaymentStatus;
  phase: PaymentPhase;
  exception: PaymentException | null;
  amount: bigint;
  currency: string;
  amount_received: Generated<bigint>;
  amount_refunded: Generated<bigint>;
  amount_refunding: Generated<bigint>;
  amount_suspense: Generated<bigint>;
  amount_direct: Generated<bigint>;
  description: string | null;
  reference: string | null;
  line_items: ColumnType<LineItem[] | null, string | null, string | null>;
  locale: string | null;
  settlement_asset: string;
  settlement_address: string | null;
  settlement_mode: 'custodial' | 'direct';
  settlement_status: Generated<'none' | 'pending' | 'submitted' | 'settled' | 'failed'>;
  settlement_tx_hash: string | null;
  settlement_ledger: number | null;
  amount_settling: Generated<bigint>;
  amount_settled: Generated<bigint>;
  amount_receivable: Generated<bigint>;
  settlement_amount: Generated<bigint>;
  settlement_delivery: 'payment' | 'claimable_balance' | null;
  settlement_failure_code: string | null;
  settlement_failure_message: string | null;
  settlement_tries: Generated<number>;
  settlement_due_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  payment_methods: PaymentMethod[];
  customer_id: string;
  customer_email: string;
  customer_name: string | null;
  metadata: ColumnType<Metadata, string | undefined, string>;
  redirect_url: string | null;
  method: PaymentMethod | null;
  bank_rail: string | null;
  quote_id: string;
  quote_amount: bigint;
  quote_rate_numerator: bigint;
  quote_rate_denominator: bigint;
  quoted_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  expires_at: Moment;
  session_expires_at: Moment;
  next_action: ColumnType<NextAction | null, string | null, string | null>;
  last_attempt: ColumnType<
    { method: PaymentMethod; code: string; message: string } | null,
    string | null,
    string | null
  >;
  declined_attempts: Generated<number>;
  failure_code: string | null;
  failure_message: string | null;
  disputed: Generated<boolean>;
  /** What the payment was made for, by a registered purpose; both null for a payment of its own. */
  owner_type: ColumnType<string | null, string | null | undefined, string | null>;
  owner_id: ColumnType<string | null, string | null | undefined, string | null>;
  created_via: 'server' | 'client';
  created_by_key: string;
  version: Generated<number>;
  event_sequence: Generated<number>;
  created_at: Moment;
  completed_at: ColumnType<Date | null, Date | null, Date | null>;
}

/** Columns of `quotes`; what they mean is said in the migration that makes them. */
export interface QuotesTable {
  merchant_id: string;
  id: string;
  payment_id: string;
  settlement_asset: string;
  settlement_amount: bigint;
  rate_numerator: bigint;
  rate_denominator: bigint;
  source: string;
  expires_at: Moment;
  created_at: Moment;
}

/** Columns of `transitions`; what they mean is said in the migration that makes them. */
export interface TransitionsTable {
  merchant_id: string;
  resource_id: string;
  seq: number;
  from_phase: string;
  to_phase: string;
  event_id: string | null;
  at: Moment;
}

/** Columns of `payment_attempts`; what they mean is said in the migration that makes them. */
export interface PaymentAttemptsTable {
  merchant_id: string;
  payment_id: string;
  id: string;
  livemode: Generated<boolean>;
  method: string;
  rail: string;
  amount: bigint;
  currency: string;
  state: 'started' | 'requires_action' | 'authorized' | 'capturing' | 'captured' | 'declined' | 'abandoned' | 'unknown';
  rail_reference: string | null;
  brand: string | null;
  last4: string | null;
  code: string | null;
  message: string | null;
  return_url: string | null;
  due_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
  updated_at: Moment;
}

/** Columns of `bank_instructions`; what they mean is said in the migration that makes them. */
export interface BankInstructionsTable {
  merchant_id: string;
  payment_id: string;
  rail: string;
  reference: string;
  amount: bigint;
  currency: string;
  payment_amount: bigint;
  created_at: Moment;
}

/** Every table, for Kysely. */
export interface Tables {
  server_keys: ServerKeysTable;
  merchants: MerchantsTable;
  api_keys: ApiKeysTable;
  payments: PaymentsTable;
  quotes: QuotesTable;
  transitions: TransitionsTable;
  payment_attempts: PaymentAttemptsTable;
  bank_instructions: BankInstructionsTable;
  transfers: TransfersTable;
  refunds: RefundsTable;
  refund_parts: RefundPartsTable;
  rail_cursors: RailCursorsTable;
  deposit_targets: DepositTargetsTable;
  deposit_routes: DepositRoutesTable;
  crypto_offers: CryptoOffersTable;
  chain_cursors: ChainCursorsTable;
  transfer_returns: TransferReturnsTable;
  wallet_transactions: WalletTransactionsTable;
  disputes: DisputesTable;
  ledger_transactions: LedgerTransactionsTable;
  ledger_entries: LedgerEntriesTable;
  merchant_entries: MerchantEntriesView;
  outgoing_transfers: OutgoingTransfersTable;
  stellar_envelopes: StellarEnvelopesTable;
  stellar_envelope_hashes: StellarEnvelopeHashesTable;
  stellar_envelope_transfers: StellarEnvelopeTransfersTable;
  channel_accounts: ChannelAccountsTable;
  treasury_balances: TreasuryBalancesTable;
  treasury_clawbacks: TreasuryClawbacksTable;
  treasury_cursors: TreasuryCursorsTable;
  settlements: SettlementsTable;
  signer_spend: SignerSpendTable;
  payment_links: PaymentLinksTable;
  payment_link_routes: PaymentLinkRoutesTable;
  payment_link_claims: PaymentLinkClaimsTable;
  payment_link_visits: PaymentLinkVisitsTable;
  invoices: InvoicesTable;
  invoice_counters: InvoiceCountersTable;
  invoice_transactions: InvoiceTransactionsTable;
  credit_notes: CreditNotesTable;
  customer_credits: CustomerCreditsTable;
  invoice_views: InvoiceViewsTable;
  transfer_rates: TransferRatesTable;
  events: EventsTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  idempotency_keys: IdempotencyKeysTable;
  mails: MailsTable;
  mail_servers: MailServersTable;
  invoice_reminders: InvoiceRemindersTable;
  recurring_invoices: RecurringInvoicesTable;
  recurring_occurrences: RecurringOccurrencesTable;
}
