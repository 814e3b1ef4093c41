import type { Branding } from '../../api/merchant.ts';
import type { PostalAddress } from '../../api/schema.ts';

/**
 * A merchant: the tenant that owns every row and request. Durations are in seconds. Tolerances are in basis points
 * (hundredths of a percent) and minor units.
 */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly supportEmail: string | null;
  readonly supportUrl: string | null;
  readonly branding: Branding;
  readonly settlementAsset: string;
  readonly stellarAddress: string | null;
  /** `manual`: completed payments stay in the balance. */
  readonly settlementSchedule: 'automatic' | 'manual';
  readonly allowedOrigins: readonly string[];
  readonly redirectOrigins: readonly string[];
  readonly clientAmounts: boolean;
  readonly toleranceBasisPoints: number;
  readonly toleranceUnits: bigint;
  readonly quoteSeconds: number;
  readonly sessionSeconds: number;
  /** How long after its end a quote still counts for crypto on its way. */
  readonly quoteGraceSeconds: number;
  /** Later crypto waits for the merchant, or counts at the market rate of its arrival. */
  readonly lateMoney: 'wait' | 'market';
  /** Whether a bank credit without a reference may pay the only payment that waits for its amount. */
  readonly matchBankCreditsByAmount: boolean;
  readonly locale: string;
  /** Whether new payments mail a receipt unless they say otherwise. */
  readonly receipts: boolean;
  /** IANA time zone in which the merchant's days begin. */
  readonly timezone: string;
  readonly address: PostalAddress | null;
  readonly taxId: string | null;
  /** Without blanks, in capitals. */
  readonly iban: string | null;
  readonly bic: string | null;
  readonly invoicePrefix: string;
  /** Payout batches above this total need a second key's approval. In smallest units. Both fields null: no limit. */
  readonly payoutApprovalAmount: bigint | null;
  readonly payoutApprovalCurrency: string | null;
  /** How far the merchant's test clock runs ahead. */
  readonly testClockOffsetMs: number;
  readonly createdAt: Date;
}

/** The merchant and mode of rows. */
export interface MerchantScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** How far the received amount of a payment may differ from the amount asked for. */
export function toleranceOf(merchant: Pick<Merchant, 'toleranceBasisPoints' | 'toleranceUnits'>) {
  return { basisPoints: merchant.toleranceBasisPoints, units: merchant.toleranceUnits };
}

/** The current time on the merchant's clock in the mode. The test clock counts only in test mode. */
export function merchantNow(merchant: Pick<Merchant, 'testClockOffsetMs'>, livemode: boolean, now: Date): Date {
  return livemode ? now : new Date(now.getTime() + merchant.testClockOffsetMs);
}
