import type { Branding } from '../../api/merchant.ts';
import type { PostalAddress } from '../../api/schema.ts';

/**
 * A merchant: the tenant that owns every row and request. Times are seconds, tolerances basis points (hundredths of a
 * percent) and minor units.
 */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly supportEmail: string | null;
  readonly supportUrl: string | null;
  readonly branding: Branding;
  readonly settlementAsset: string;
  readonly stellarAddress: string | null;
  readonly allowedOrigins: readonly string[];
  readonly redirectOrigins: readonly string[];
  readonly clientAmounts: boolean;
  readonly toleranceBasisPoints: number;
  readonly toleranceUnits: bigint;
  readonly quoteSeconds: number;
  readonly sessionSeconds: number;
  readonly locale: string;
  /** IANA time zone in which the merchant's days begin. */
  readonly timezone: string;
  readonly address: PostalAddress | null;
  readonly taxId: string | null;
  /** Without blanks, in capitals. */
  readonly iban: string | null;
  readonly bic: string | null;
  /** What the numbers of its invoices start with. */
  readonly invoicePrefix: string;
  /** How far the merchant's test clock runs ahead. */
  readonly testClockOffsetMs: number;
  readonly createdAt: Date;
}

/** How much of a payment may be missing or on top before it matters to the merchant. */
export function toleranceOf(merchant: Pick<Merchant, 'toleranceBasisPoints' | 'toleranceUnits'>) {
  return { basisPoints: merchant.toleranceBasisPoints, units: merchant.toleranceUnits };
}

/** The present moment of the merchant in the mode: the test clock moves test mode only. */
export function merchantNow(merchant: Pick<Merchant, 'testClockOffsetMs'>, livemode: boolean, now: Date): Date {
  return livemode ? now : new Date(now.getTime() + merchant.testClockOffsetMs);
}
