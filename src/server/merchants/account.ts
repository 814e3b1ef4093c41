import { isIP } from 'node:net';
import type { Account, Branding, UpdateAccount } from '../../api/merchant.ts';
import { isEmail } from '../../core/email.ts';
import { type ErrorCode, PayError } from '../../core/error.ts';
import { isLocale } from '../../core/locale/locale.ts';
import { formatUnits, parseUnits } from '../../core/money.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { parseOrigin, parseWebAddress } from '../../core/web-address.ts';
import type { Merchant } from '../platform/merchant.ts';
import { readImageHeader } from './image.ts';
import { invoicingChanges } from './invoicing.ts';
import type { MerchantChanges } from './merchant.store.ts';
import { drawSvg } from './svg-image.ts';

/** Percent with two decimals are basis points. */
const percentDecimals = 2;
/** Longest side of a logo or icon, in pixels: enough for print, too small to choke a phone. */
const largestSide = 2048;

/** The account in its wire form. */
export function accountToWire(merchant: Merchant, livemode: boolean): Account {
  return {
    id: merchant.id,
    object: 'account',
    name: merchant.name,
    support_email: merchant.supportEmail,
    support_url: merchant.supportUrl,
    branding: merchant.branding,
    settlement: { asset: merchant.settlementAsset, stellar_address: merchant.stellarAddress },
    allowed_origins: [...merchant.allowedOrigins],
    redirect_origins: [...merchant.redirectOrigins],
    client_amounts: merchant.clientAmounts,
    tolerance: {
      percent: Number(formatUnits(BigInt(merchant.toleranceBasisPoints), percentDecimals)),
      units: Number(merchant.toleranceUnits),
    },
    quote_seconds: merchant.quoteSeconds,
    session_seconds: merchant.sessionSeconds,
    locale: merchant.locale,
    timezone: merchant.timezone,
    address: merchant.address,
    tax_id: merchant.taxId,
    bank_account: merchant.iban === null ? null : { iban: merchant.iban, bic: merchant.bic },
    invoice_prefix: merchant.invoicePrefix,
    livemode,
    created_at: merchant.createdAt.toISOString(),
  };
}

/** As large as each may be that comes as PNG: what its field takes, in bytes. */
const mostBytes = { logo: 290_000, icon: 145_000 };
const svgUrl = /^data:image\/svg\+xml(?:;charset=utf-8)?;base64,([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The body with every SVG in it drawn as PNG: an SVG is never kept. Throws PayError `invalid_logo` for a picture that
 * cannot be drawn.
 */
export async function withDrawnImages(body: UpdateAccount): Promise<UpdateAccount> {
  const drawn: { logo?: string; icon?: string } = {};
  for (const name of ['logo', 'icon'] as const) {
    const svg = svgUrl.exec(body.branding?.[name] ?? '')?.[1];
    if (svg === undefined) continue;
    const result = await drawSvg(Buffer.from(svg, 'base64'), mostBytes[name]);
    if ('problem' in result) {
      throw new PayError('invalid_logo', `branding.${name} ${result.problem}`, { param: `branding.${name}` });
    }
    drawn[name] = `data:image/png;base64,${result.png.toString('base64')}`;
  }
  return { ...body, ...(body.branding && { branding: { ...body.branding, ...drawn } }) };
}

/**
 * The changes a `PATCH /v1/account` asks for, checked. `assertAsset` throws for an asset the service does not know.
 * Throws PayError naming the first wrong field.
 */
export function accountChanges(
  body: UpdateAccount,
  assertAsset: (text: string, param: string) => void,
): MerchantChanges {
  checkContact(body);
  if (body.branding !== undefined) checkBranding(body.branding);
  if (body.settlement?.asset !== undefined) assertAsset(body.settlement.asset, 'settlement.asset');
  const address = body.settlement?.stellar_address;
  refuseUnless(address == null || isStellarAddress(address), 'settlement.stellar_address', 'invalid_address', {
    message: 'takes a Stellar account (G…) or muxed account (M…).',
  });
  return withoutAbsent({
    name: body.name?.trim(),
    supportEmail: body.support_email,
    supportUrl: body.support_url,
    branding: body.branding as Partial<Branding> | undefined,
    settlementAsset: body.settlement?.asset,
    stellarAddress: address,
    allowedOrigins: body.allowed_origins && origins(body.allowed_origins, 'allowed_origins'),
    redirectOrigins: body.redirect_origins && origins(body.redirect_origins, 'redirect_origins'),
    clientAmounts: body.client_amounts,
    toleranceBasisPoints: basisPoints(body.tolerance?.percent),
    toleranceUnits: body.tolerance?.units === undefined ? undefined : BigInt(body.tolerance.units),
    quoteSeconds: body.quote_seconds,
    sessionSeconds: body.session_seconds,
    locale: body.locale,
    ...invoicingChanges(body),
  });
}

function withoutAbsent(changes: { [K in keyof MerchantChanges]: MerchantChanges[K] | undefined }): MerchantChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as MerchantChanges;
}

function refuseUnless(condition: boolean, param: string, code: ErrorCode, { message }: { message: string }): void {
  if (!condition) throw new PayError(code, `${param} ${message}`, { param });
}

function checkContact({ name, support_email: email, support_url: url, locale }: UpdateAccount): void {
  refuseUnless(name === undefined || name.trim() !== '', 'name', 'parameter_invalid', {
    message: 'must not be blank.',
  });
  refuseUnless(email == null || isEmail(email), 'support_email', 'invalid_email', { message: 'is no e-mail address.' });
  refuseUnless(url == null || parseWebAddress(url) !== null, 'support_url', 'parameter_invalid', {
    message: 'takes an http or https address.',
  });
  refuseUnless(locale === undefined || isLocale(locale), 'locale', 'parameter_invalid', {
    message: 'takes a language tag like en or pt-BR (RFC 5646).',
  });
}

function checkBranding(branding: NonNullable<UpdateAccount['branding']>): void {
  for (const name of ['primary_color', 'background_color'] as const) {
    const color = branding[name];
    refuseUnless(color == null || /^#[0-9a-fA-F]{6}$/.test(color), `branding.${name}`, 'invalid_color', {
      message: 'takes a colour like #2f5bea.',
    });
  }
  for (const name of ['logo', 'icon'] as const) {
    const image = branding[name];
    const problem = image == null ? null : imageProblem(image);
    refuseUnless(problem === null, `branding.${name}`, 'invalid_logo', { message: problem ?? '' });
  }
}

function imageProblem(text: string): string | null {
  if (!text.startsWith('data:')) return imageUrlProblem(text);
  const match = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match === null) return 'takes a PNG, JPEG, WebP or SVG image as data:image/…;base64,….';
  const header = readImageHeader(Buffer.from(match[2] ?? '', 'base64'));
  if (header === null || header.type !== match[1]) return `is not the ${match[1]?.toUpperCase()} image it says it is.`;
  const isSane = Math.min(header.width, header.height) >= 1 && Math.max(header.width, header.height) <= largestSide;
  return isSane ? null : `is ${header.width} × ${header.height} pixels; the longest side may have ${largestSide}.`;
}

/**
 * Payers' browsers fetch the address, the service never does: only public names are allowed, no addresses of private
 * networks.
 */
function imageUrlProblem(text: string): string | null {
  const url = parseWebAddress(text);
  if (url === null || url.protocol !== 'https:')
    return 'takes an https address or a data: image (PNG, JPEG, WebP, SVG).';
  const isPublicName = isIP(url.hostname) === 0 && !url.hostname.startsWith('[') && url.hostname.includes('.');
  if (!isPublicName) return 'must be on a public host name.';
  return /\.svgz?$/i.test(url.pathname)
    ? 'must be PNG, JPEG or WebP; give an SVG as data:image/svg+xml;base64,….'
    : null;
}

/** Exact origins. Plain http only on the developer's own machine. */
function origins(texts: readonly string[], param: string): string[] {
  const parsed = texts.map((text, index) => {
    const origin = parseOrigin(text);
    const isSafe = origin !== null && (origin.startsWith('https:') || isLoopback(origin));
    refuseUnless(isSafe, `${param}[${index}]`, 'invalid_origin', {
      message: 'takes an origin like https://shop.example (no path; http only for localhost).',
    });
    return origin ?? '';
  });
  return [...new Set(parsed)];
}

function isLoopback(origin: string): boolean {
  return /^http:\/\/(localhost|([a-z0-9-]+\.)+localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}

function basisPoints(percent: number | undefined): number | undefined {
  if (percent === undefined) return undefined;
  const points = parseUnits(String(percent), percentDecimals);
  if (points !== null) return Number(points);
  throw new PayError('parameter_invalid', 'tolerance.percent takes at most two decimals.', {
    param: 'tolerance.percent',
  });
}
