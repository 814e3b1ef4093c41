import type { ColumnType, Generated, Selectable } from 'kysely';
import type { DisputeOutcome, DisputeStatus, SubmitEvidence } from '../../api/disputes/dispute.ts';
import type { LineItem } from '../../api/line-item.ts';
import type {
  CaptureMethod,
  NextAction,
  PaymentCard,
  PaymentException,
  PaymentMethod,
  PaymentPhase,
  PaymentStatus,
  PaymentWallet,
} from '../../api/payment.ts';
import type { OpenPrompt } from '../../api/payments/prompt.ts';
import type { Metadata } from '../../api/schema.ts';
import type { JsonOrNull, Moment, MomentOrNull } from '../platform/db/tables.ts';
import type { DepositState } from './crypto/deposit.ts';
import type { ReceivedPart } from './receipts/received-part.ts';

interface OfPayment {
  merchant_id: string;
  payment_id: string;
}

interface PaymentsTable {
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
  received: JsonOrNull<readonly ReceivedPart[]>;
  amount_suspense: Generated<bigint>;
  amount_direct: Generated<bigint>;
  description: string | null;
  reference: string | null;
  line_items: JsonOrNull<LineItem[]>;
  locale: string | null;
  settlement_asset: string;
  settlement_address: string | null;
  settlement_mode: 'custodial' | 'direct' | 'balance';
  settlement_status: Generated<'none' | 'pending' | 'submitted' | 'settled' | 'failed'>;
  settlement_tx_hash: string | null;
  settlement_ledger: number | null;
  amount_settling: Generated<bigint>;
  amount_settled: Generated<bigint>;
  amount_receivable: Generated<bigint>;
  amount_available: Generated<bigint>;
  settlement_amount: Generated<bigint>;
  settlement_delivery: 'payment' | 'claimable_balance' | null;
  settlement_failure_code: string | null;
  settlement_failure_message: string | null;
  settlement_count: Generated<number>;
  settlement_tries: Generated<number>;
  settlement_due_at: MomentOrNull;
  settlement_in_fiat: boolean;
  settlement_id: string | null;
  settlement_payout: string | null;
  settling_amount: Generated<bigint>;
  payment_methods: PaymentMethod[];
  capture_method: Generated<CaptureMethod>;
  customer_id: string;
  customer_email: string;
  customer_name: string | null;
  receipts: boolean;
  metadata: ColumnType<Metadata, string | undefined, string>;
  redirect_url: string | null;
  cancel_url: string | null;
  method: PaymentMethod | null;
  card: JsonOrNull<PaymentCard>;
  mobile_money: ColumnType<PaymentWallet | null, string | null | undefined, string | null>;
  bank_rail: string | null;
  quote_id: string;
  quote_amount: bigint;
  quote_rate_numerator: bigint;
  quote_rate_denominator: bigint;
  quoted_at: MomentOrNull;
  expires_at: Moment;
  session_expires_at: Moment;
  next_action: JsonOrNull<NextAction>;
  open_prompt: JsonOrNull<OpenPrompt>;
  last_attempt: JsonOrNull<{ method: PaymentMethod; code: string; message: string }>;
  declined_attempts: Generated<number>;
  failure_code: string | null;
  failure_message: string | null;
  amount_disputed: Generated<bigint>;
  owner_type: ColumnType<string | null, string | null | undefined, string | null>;
  owner_id: ColumnType<string | null, string | null | undefined, string | null>;
  created_via: 'server' | 'client';
  created_by_key: string;
  version: Generated<number>;
  event_sequence: Generated<number>;
  created_at: Moment;
  completed_at: MomentOrNull;
}

interface BankInstructionsTable extends OfPayment {
  rail: string;
  reference: string;
  amount: bigint;
  currency: string;
  payment_amount: bigint;
  created_at: Moment;
}

export interface PaymentAttemptsTable extends OfPayment {
  id: string;
  livemode: Generated<boolean>;
  method: 'card' | 'mobile_money';
  rail: string;
  number: ColumnType<string | null, string | null | undefined, string | null>;
  open_number: ColumnType<string | null, string | null | undefined, string | null>;
  amount: bigint;
  payment_amount: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  capture_amount: bigint | null;
  currency: string;
  state: 'started' | 'requires_action' | 'authorized' | 'capturing' | 'captured' | 'declined' | 'abandoned' | 'unknown';
  rail_reference: string | null;
  brand: string | null;
  last4: string | null;
  code: string | null;
  message: string | null;
  return_url: string | null;
  expires_at: MomentOrNull;
  due_at: MomentOrNull;
  created_at: Moment;
  updated_at: Moment;
}

export interface DisputesTable extends OfPayment {
  id: string;
  amount: bigint;
  currency: string;
  reason: string;
  rail_reference: string;
  livemode: boolean;
  rail: string;
  status: DisputeStatus;
  outcome: DisputeOutcome | null;
  evidence: JsonOrNull<SubmitEvidence>;
  evidence_due_at: Moment;
  evidence_submitted_at: MomentOrNull;
  due_at: MomentOrNull;
  closed_at: MomentOrNull;
  event_sequence: number;
  version: number;
  created_at: Moment;
}

export interface DepositTargetsTable extends OfPayment {
  chain: string;
  network: string;
  account: string;
  /** Makes the target, together with the account. */
  tag: string;
  custodial: boolean;
  created_at: Moment;
}

/** The key of a deposit target. It belongs to one payment or one top-up. */
export interface DepositRoutesTable {
  merchant_id: string;
  network: string;
  key: string;
  payment_id: string | null;
  top_up_id: string | null;
}

export interface CryptoOffersTable extends OfPayment {
  number: number;
  chain: string;
  asset: string;
  amount: bigint;
  payment_amount: bigint;
  quote_id: string;
  received: Generated<bigint>;
  counted: Generated<bigint>;
  expires_at: Moment;
  created_at: Moment;
}

export interface ChainCursorsTable {
  network: string;
  account: string;
  chain: string;
  cursor: string;
  custodial: boolean;
  watch_until: MomentOrNull;
  due_at: Moment;
  read_at: MomentOrNull;
  /** Whether deposits of the account are not final yet. */
  has_open: Generated<boolean>;
}

/** Money that a chain showed. */
interface DepositsTable {
  network: string;
  ref: string;
  tx_hash: string;
  /** The account or address that received the money. */
  account: string;
  /** The account of the cursor by which it was read. */
  watched: string;
  keys: string[];
  asset: string;
  amount: bigint;
  memo: string | null;
  memo_type: string | null;
  sender: string | null;
  block_height: bigint | null;
  block_hash: string | null;
  seen_at: Moment;
  state: DepositState;
}

export interface WalletTransactionsTable extends OfPayment {
  id: string;
  livemode: boolean;
  chain: string;
  network: string;
  address: string;
  asset: string;
  amount: bigint;
  amount_max: bigint;
  destination_asset: string;
  destination_amount: bigint;
  path: string[];
  envelope: string;
  hash: string;
  signed_envelope: string | null;
  state: 'built' | 'submitted' | 'applied' | 'failed';
  failure_code: string | null;
  failure_message: string | null;
  refused_at: MomentOrNull;
  valid_until: Moment;
  due_at: MomentOrNull;
  attempts: Generated<number>;
  created_at: Moment;
  submitted_at: MomentOrNull;
}

interface RefundsTable extends OfPayment {
  id: string;
  livemode: boolean;
  amount: bigint;
  currency: string;
  status: 'awaiting_approval' | 'pending' | 'completed' | 'failed';
  amount_from_suspense: bigint;
  reason: string | null;
  destination: JsonOrNull<Record<string, string>>;
  metadata: ColumnType<Metadata, string | undefined, string>;
  failure_code: string | null;
  failure_message: string | null;
  requires_destination: Generated<boolean>;
  directions: Generated<number>;
  tx_hash: string | null;
  event_sequence: Generated<number>;
  created_at: Moment;
}

interface RefundPartsTable {
  merchant_id: string;
  refund_id: string;
  id: string;
  transfer_id: string;
  rail: string;
  amount: bigint;
  rail_amount: bigint;
  rail_currency: string;
  state: 'pending' | 'completed' | 'failed';
  requires_destination: Generated<boolean>;
  tx_hash: string | null;
  created_at: Moment;
}

export interface TransfersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  rail: string;
  rail_reference: string;
  payment_id: string | null;
  top_up_id: ColumnType<string | null, string | null | undefined, string | null>;
  status: 'matched' | 'unmatched' | 'awaiting_approval' | 'returning' | 'returned';
  amount: bigint;
  currency: string;
  amount_applied: Generated<bigint>;
  amount_excess: Generated<bigint>;
  reference: string | null;
  sender: string | null;
  chain: string | null;
  tx_hash: string | null;
  ledger: bigint | null;
  account: string | null;
  memo: string | null;
  memo_type: string | null;
  custodial: Generated<boolean>;
  return_count: Generated<number>;
  problem: 'wrong_asset' | 'late' | null;
  at_market: Generated<boolean>;
  is_dust: Generated<boolean>;
  failure_code: string | null;
  failure_message: string | null;
  arrived_at: MomentOrNull;
  created_at: Moment;
}

interface RailCursorsTable {
  rail: string;
  cursor: string;
}

export interface CardEventsTable {
  rail: string;
  id: string;
  merchant_id: string;
  about: 'charge' | 'refund' | 'dispute';
  reference: string;
  payment_id: string | null;
  received_at: Moment;
  due_at: Moment;
}

export type PaymentRow = Selectable<PaymentsTable>;
/** Received money. */
export type TransferRow = Selectable<TransfersTable>;
/** A payer's instructions for a bank transfer. `created_at`: the time of the rate between their two amounts. */
export type BankInstructionsRow = Selectable<BankInstructionsTable>;
export type RefundRow = Selectable<RefundsTable>;
/** The part of a refund that returns one transfer. */
export type RefundPartRow = Selectable<RefundPartsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    payments: PaymentsTable;
    bank_instructions: BankInstructionsTable;
    payment_attempts: PaymentAttemptsTable;
    disputes: DisputesTable;
    deposit_targets: DepositTargetsTable;
    deposit_routes: DepositRoutesTable;
    crypto_offers: CryptoOffersTable;
    chain_cursors: ChainCursorsTable;
    deposits: DepositsTable;
    wallet_transactions: WalletTransactionsTable;
    refunds: RefundsTable;
    refund_parts: RefundPartsTable;
    transfers: TransfersTable;
    rail_cursors: RailCursorsTable;
    card_events: CardEventsTable;
  }
}
