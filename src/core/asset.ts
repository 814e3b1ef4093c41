import { isStellarAddress } from './stellar/strkey.ts';

/**
 * An asset on Stellar: XLM, or a code with its issuer. The issuer is needed, because any account may issue any code.
 */
export interface StellarAsset {
  readonly code: string;
  /** The issuing account (G…), or null for XLM. */
  readonly issuer: string | null;
}

/** The asset's wire text: `XLM` or `CODE:ISSUER`. */
export function formatAsset(asset: StellarAsset): string {
  return asset.issuer === null ? asset.code : `${asset.code}:${asset.issuer}`;
}

/**
 * Reads the wire text of an asset. If the text has no issuer, `wellKnown` (code → issuer) supplies it. Null for an
 * unknown code without issuer, and for a text that is not an asset.
 */
export function parseAsset(text: string, wellKnown: Readonly<Record<string, string>>): StellarAsset | null {
  if (text === 'XLM') return { code: 'XLM', issuer: null };
  const [code = '', issuer, ...rest] = text.split(':');
  if (!/^[A-Za-z0-9]{1,12}$/.test(code) || rest.length > 0) return null;
  if (issuer !== undefined) {
    const isIssuer = issuer.startsWith('G') && isStellarAddress(issuer) && code !== 'XLM';
    return isIssuer ? { code, issuer } : null;
  }
  const known = Object.hasOwn(wellKnown, code) ? wellKnown[code] : undefined;
  return known === undefined ? null : { code, issuer: known };
}
