import type { Branding, InvoiceContact, SettlementBatch } from '../../api/merchant.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import type { PostalAddress } from '../../api/schema.ts';

/**
 * A merchant: a tenant of the service, which owns its rows and requests. Tolerances are in basis points (hundredths of
 * a percent) and minor units.
 */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly supportEmail: string | null;
  readonly supportUrl: string | null;
  readonly branding: Branding;
  readonly settlementAsset: string;
  readonly stellarAddress: string | null;
  /** `manual`: completed payments stay in the merchant's balance. */
  readonly settlementSchedule: 'automatic' | 'manual';
  /** Receives settlements in a currency. */
  readonly settlementDestination: SettlementDestination | null;
  readonly settlementBatch: SettlementBatch;
  /** The hour of daily settlement, in `timezone`. */
  readonly settlementHour: number;
  readonly allowedOrigins: readonly string[];
  readonly redirectOrigins: readonly string[];
  readonly clientAmounts: boolean;
  readonly toleranceBasisPoints: number;
  readonly toleranceUnits: bigint;
  readonly quoteSeconds: number;
  readonly sessionSeconds: number;
  /** Seconds after a quote's end in which arriving crypto still counts at the quote's price. */
  readonly quoteGraceSeconds: number;
  /** Crypto that arrives after the grace time waits for the merchant, or counts at the market rate of its arrival. */
  readonly lateMoney: 'wait' | 'market';
  /** Whether a bank credit without a reference may pay the only payment that waits for its amount. */
  readonly matchBankCreditsByAmount: boolean;
  readonly locale: string;
  /** Whether new payments mail a receipt by default. */
  readonly receipts: boolean;
  /** IANA time zone in which the merchant's days begin. */
  readonly timezone: string;
  readonly address: PostalAddress | null;
  readonly taxId: string | null;
  /** The entry in the commercial register. */
  readonly legalRegistration: string | null;
  /** The person whom buyers may ask about invoices. */
  readonly invoiceContact: InvoiceContact | null;
  /** Without blanks, in capitals. */
  readonly iban: string | null;
  readonly bic: string | null;
  readonly invoicePrefix: string;
  /** What may leave within 24 hours without another person's approval, in smallest units. Null: no limit. */
  readonly payoutApprovalAmount: bigint | null;
  readonly payoutApprovalCurrency: string | null;
  /** Who decides about customers' identities: this service's checks, or the merchant's platform by API. */
  readonly kyc: 'service' | 'platform';
  /** Milliseconds by which the merchant's test clock is ahead of the real clock. */
  readonly testClockOffsetMs: number;
  readonly createdAt: Date;
}

/** The merchant and mode to which rows belong. */
export interface MerchantScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Merchant and mode as one text. Work in batches groups rows by it, because each mode of a merchant has its own clock. */
export function scopeKeyOf(row: { readonly merchant_id: string; readonly livemode: boolean }): string {
  return `${row.merchant_id} ${row.livemode}`;
}

/** The accepted difference between the received and the requested amount of a payment. */
export function toleranceOf(merchant: Pick<Merchant, 'toleranceBasisPoints' | 'toleranceUnits'>) {
  return { basisPoints: merchant.toleranceBasisPoints, units: merchant.toleranceUnits };
}

/** The current time on the merchant's clock in the mode. Only test mode uses the test clock. */
export function merchantNow(merchant: Pick<Merchant, 'testClockOffsetMs'>, livemode: boolean, now: Date): Date {
  return livemode ? now : new Date(now.getTime() + merchant.testClockOffsetMs);
}
