import type { Domain } from '../../api/dashboard/domain.ts';
import type { Account, Branding, InvoiceContact, UpdateAccount } from '../../api/merchant.ts';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import type { PostalAddress } from '../../api/schema.ts';
import { isIban } from '../../core/bank/iban.ts';
import { readCurrency } from '../../core/currency.ts';
import { isEmail } from '../../core/email.ts';
import { type ErrorCode, PayError } from '../../core/error.ts';
import { isLocale } from '../../core/locale/locale.ts';
import { formatUnits, parseUnits } from '../../core/money.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { parseOrigin, parseWebAddress } from '../../core/web-address.ts';
import type { Merchant } from '../platform/merchant.ts';
import { imageProblem } from './image.ts';
import type { MerchantChanges } from './merchant.store.ts';
import type { SettlementTerms } from './settlement-terms.ts';

/** Decimals of a percentage. A basis point is a hundredth of a percent. */
const percentDecimals = 2;

/** The account in its wire form. */
export function accountToWire(
  merchant: Merchant,
  livemode: boolean,
  {
    customDomain,
    approvalChange,
    destinationChange,
    rampTerms,
  }: {
    readonly customDomain: Domain | null;
    readonly approvalChange: Account['payouts']['approval_change'] | null;
    readonly destinationChange: Account['settlement']['destination_change'] | null;
    readonly rampTerms: RampTerms;
  },
): Account {
  return {
    id: merchant.id,
    object: 'account',
    name: merchant.name,
    support_email: merchant.supportEmail,
    support_url: merchant.supportUrl,
    branding: merchant.branding,
    custom_domain: customDomain,
    settlement: settlementOf(merchant, destinationChange),
    allowed_origins: [...merchant.allowedOrigins],
    redirect_origins: [...merchant.redirectOrigins],
    client_amounts: merchant.clientAmounts,
    tolerance: {
      percent: Number(formatUnits(BigInt(merchant.toleranceBasisPoints), percentDecimals)),
      units: Number(merchant.toleranceUnits),
    },
    quote_seconds: merchant.quoteSeconds,
    session_seconds: merchant.sessionSeconds,
    quote_grace_seconds: merchant.quoteGraceSeconds,
    late_money: merchant.lateMoney,
    match_bank_credits_by_amount: merchant.matchBankCreditsByAmount,
    locale: merchant.locale,
    receipts: merchant.receipts,
    timezone: merchant.timezone,
    address: merchant.address,
    tax_id: merchant.taxId,
    legal_registration: merchant.legalRegistration,
    contact: merchant.invoiceContact,
    bank_account: merchant.iban === null ? null : { iban: merchant.iban, bic: merchant.bic },
    invoice_prefix: merchant.invoicePrefix,
    payouts: {
      approval_above: approvalAbove(merchant),
      ...(approvalChange != null && { approval_change: approvalChange }),
    },
    ramps: { ...rampTerms, kyc: merchant.kyc },
    livemode,
    created_at: merchant.createdAt.toISOString(),
  };
}

function settlementOf(
  merchant: Merchant,
  change: Account['settlement']['destination_change'] | null,
): Account['settlement'] {
  return {
    asset: merchant.settlementAsset,
    stellar_address: merchant.stellarAddress,
    schedule: merchant.settlementSchedule,
    destination: merchant.settlementDestination,
    ...(change != null && { destination_change: change }),
    batch: merchant.settlementBatch,
    hour: merchant.settlementHour,
  };
}

/**
 * Checks the body of `PATCH /v1/account` and returns its changes. `settlement`: the checked terms of settlement in a
 * currency. Throws a PayError that names the first wrong field.
 */
export function accountChanges(body: UpdateAccount, settlement: SettlementTerms): MerchantChanges {
  checkContact(body);
  if (body.branding !== undefined) checkBranding(body.branding);
  const address = body.settlement?.stellar_address;
  const isAddress = address == null || isStellarAddress(address);
  const message = 'takes a Stellar account (G…) or muxed account (M…).';
  refuseUnless(isAddress, 'settlement.stellar_address', message, 'invalid_address');
  return {
    name: body.name?.trim(),
    supportEmail: body.support_email,
    supportUrl: body.support_url,
    branding: body.branding as Partial<Branding> | undefined,
    ...settlement,
    stellarAddress: address,
    settlementSchedule: body.settlement?.schedule,
    settlementBatch: body.settlement?.batch,
    settlementHour: body.settlement?.hour,
    allowedOrigins: body.allowed_origins && origins(body.allowed_origins, 'allowed_origins'),
    redirectOrigins: body.redirect_origins && origins(body.redirect_origins, 'redirect_origins'),
    clientAmounts: body.client_amounts,
    toleranceBasisPoints: basisPoints(body.tolerance?.percent),
    toleranceUnits: body.tolerance?.units === undefined ? undefined : BigInt(body.tolerance.units),
    quoteSeconds: body.quote_seconds,
    sessionSeconds: body.session_seconds,
    quoteGraceSeconds: body.quote_grace_seconds,
    lateMoney: body.late_money,
    matchBankCreditsByAmount: body.match_bank_credits_by_amount,
    locale: body.locale,
    receipts: body.receipts,
    kyc: body.ramps?.kyc,
    ...approvalChanges(body.payouts?.approval_above),
    ...invoicingChanges(body),
  };
}

function approvalAbove({ payoutApprovalAmount: amount, payoutApprovalCurrency: currency }: Merchant) {
  return amount === null || currency === null ? null : { amount: Number(amount), currency };
}

/** Changes of the limit above which another person must approve money that leaves. */
function approvalChanges(above: NonNullable<UpdateAccount['payouts']>['approval_above']) {
  if (above === undefined) return {};
  if (above === null) return { payoutApprovalAmount: null, payoutApprovalCurrency: null };
  const currency = readCurrency(above.currency, 'payouts.approval_above.currency');
  return { payoutApprovalAmount: BigInt(above.amount), payoutApprovalCurrency: currency };
}

/** The changes of the merchant's details on invoices. */
function invoicingChanges({ timezone, address, tax_id: taxId, bank_account: account, ...body }: UpdateAccount) {
  const { legal_registration: registration, contact } = body;
  refuseUnless(timezone === undefined || isTimeZone(timezone), 'timezone', 'takes an IANA name like Europe/Berlin.');
  if (body.invoice_prefix !== undefined) numberPrefix(body.invoice_prefix, 'invoice_prefix');
  return {
    timezone,
    address: address == null ? address : plainAddress(address),
    taxId: taxId?.trim() ?? taxId,
    legalRegistration: registration?.trim() ?? registration,
    invoiceContact: contact == null ? contact : contactOf(contact),
    iban: account == null ? account : ibanOf(account.iban),
    bic: account == null ? account : bicOf(account.bic ?? ''),
    invoicePrefix: body.invoice_prefix,
  };
}

function contactOf({ name, phone, email }: NonNullable<UpdateAccount['contact']>): InvoiceContact {
  refuseUnless(name.trim() !== '', 'contact.name', 'must not be blank.');
  refuseUnless(email == null || isEmail(email), 'contact.email', 'is not an e-mail address.', 'invalid_email');
  const digits = phone?.replace(/\D/g, '').length;
  refuseUnless(digits === undefined || digits >= 3, 'contact.phone', 'takes a phone number.');
  return { name: name.trim(), phone: phone?.trim() ?? null, email: email ?? null };
}

function refuseUnless(
  condition: boolean,
  param: string,
  message: string,
  code: ErrorCode = 'parameter_invalid',
): asserts condition {
  if (!condition) throw new PayError(code, `${param} ${message}`, { param });
}

function checkContact({ name, support_email: email, support_url: url, locale }: UpdateAccount): void {
  refuseUnless(name === undefined || name.trim() !== '', 'name', 'must not be blank.');
  refuseUnless(email == null || isEmail(email), 'support_email', 'is not an e-mail address.', 'invalid_email');
  refuseUnless(url == null || parseWebAddress(url) !== null, 'support_url', 'takes an http or https address.');
  const isKnown = locale === undefined || isLocale(locale);
  refuseUnless(isKnown, 'locale', 'takes a language tag like en or ar-EG (RFC 5646).');
}

/** The merchant with changed branding, without storing it. Throws a PayError that names the first wrong field. */
export function withBranding(merchant: Merchant, branding: NonNullable<UpdateAccount['branding']>): Merchant {
  checkBranding(branding);
  return { ...merchant, branding: { ...merchant.branding, ...(branding as Partial<Branding>) } };
}

function checkBranding(branding: NonNullable<UpdateAccount['branding']>): void {
  for (const name of ['primary_color', 'background_color'] as const) {
    const color = branding[name];
    const isColor = color == null || /^#[0-9a-fA-F]{6}$/.test(color);
    refuseUnless(isColor, `branding.${name}`, 'takes a colour like #2f5bea.', 'invalid_color');
  }
  for (const name of ['logo', 'icon'] as const) {
    const image = branding[name];
    const problem = image == null ? null : imageProblem(image);
    refuseUnless(problem === null, `branding.${name}`, problem ?? '', 'invalid_logo');
  }
}

/** Checks the origins and removes duplicates. Plain http is allowed only on the developer's own machine. */
function origins(texts: readonly string[], param: string): string[] {
  const message = 'takes an origin like https://shop.example (no path; http only for localhost).';
  const parsed = texts.map((text, index) => {
    const origin = parseOrigin(text);
    const isSafe = origin !== null && (origin.startsWith('https:') || isLoopback(origin));
    refuseUnless(isSafe, `${param}[${index}]`, message, 'invalid_origin');
    return origin;
  });
  return [...new Set(parsed)];
}

function isLoopback(origin: string): boolean {
  return /^http:\/\/(localhost|([a-z0-9-]+\.)+localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}

function basisPoints(percent: number | undefined): number | undefined {
  if (percent === undefined) return undefined;
  const points = parseUnits(String(percent), percentDecimals);
  refuseUnless(points !== null, 'tolerance.percent', 'takes at most two decimals.');
  return Number(points);
}

function ibanOf(text: string): string {
  refuseUnless(isIban(text), 'bank_account.iban', 'is not an IBAN: check its digits.');
  return text.replace(/[ \u00a0]/g, '').toUpperCase();
}

/** The BIC (ISO 9362), or null for a blank text. */
function bicOf(text: string): string | null {
  const bic = text.trim().toUpperCase();
  const isBic = bic === '' || /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic);
  refuseUnless(isBic, 'bank_account.bic', 'takes 8 or 11 letters and digits.');
  return bic || null;
}

export const creditNotePrefix = 'CN-';

/**
 * The prefix of invoice numbers. It ends in a separator: `INV` becomes `INV-`. Throws `parameter_invalid` for the
 * prefix of credit notes, because they have their own number sequence.
 */
export function numberPrefix(text: string, param: string): string {
  const prefix = /[A-Za-z0-9]$/.test(text) ? `${text}-` : text;
  if (prefix.toUpperCase() !== creditNotePrefix) return prefix;
  const message = `${param}: numbers that start with ${creditNotePrefix} are reserved for credit notes. Use another prefix.`;
  throw new PayError('parameter_invalid', message, { param });
}

/** The address without blank fields, with the country code in capitals. Null if all fields are blank. */
export function plainAddress(address: PostalAddress): PostalAddress | null {
  const kept = Object.entries(address).flatMap(([name, text]) => {
    const value = String(text).trim();
    return value === '' ? [] : [[name, name === 'country' ? value.toUpperCase() : value]];
  });
  return kept.length === 0 ? null : (Object.fromEntries(kept) as PostalAddress);
}

/** Whether the text is an IANA time zone. Offsets are rejected, because they ignore summer time. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}
