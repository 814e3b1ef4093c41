import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoAssetOption } from '../../api/crypto.ts';
import type { cryptoStrings } from '../strings/en-crypto.ts';

/** The signs of well-known coins, and the colours they are known by; in the order in which they are offered. */
const marks: Readonly<Record<string, readonly [sign: string, colour: string]>> = {
  USDC: ['$', '#2775ca'],
  EURC: ['€', '#1a56c4'],
  XLM: ['X', '#47536b'],
  NGNC: ['₦', '#0b7a4b'],
  BRLC: ['R$', '#177a3d'],
};
const known = Object.keys(marks);

/** `USDC` of `USDC:G…`. */
export const codeOf = (asset: string): string => asset.split(':')[0] ?? asset;

/** `GBBD…FLA5`: enough of an account to tell it from another. */
export const shortened = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** What kind of money it is; for one that we do not know, who issues it. Any issuer may call its asset anything. */
export function nameOf(asset: string, names: typeof cryptoStrings.names): string {
  const [code = '', issuer] = asset.split(':');
  return names[code as keyof typeof names] ?? (issuer ? shortened(issuer) : '');
}

/** Well-known ones first. */
export function inOrder<T extends Pick<CryptoAssetOption, 'asset'>>(assets: readonly T[]): T[] {
  const rank = ({ asset }: T) => {
    const at = known.indexOf(codeOf(asset));
    return at < 0 ? known.length : at;
  };
  return [...assets].sort((one, other) => rank(one) - rank(other));
}

/** A coin with its sign; its name stands beside it. Drawn, because a strict page allows no style attribute. */
export function coin(asset: string): TemplateResult {
  const code = codeOf(asset);
  const [sign, colour] = marks[code] ?? [code.slice(0, 1), '#47536b'];
  return html`<svg class="coin" viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="16" fill=${colour}></circle>
    <text x="16" y="21" font-size=${sign.length > 1 ? 12 : nothing}>${sign}</text>
  </svg>`;
}

/**
 * How assets and accounts are written and drawn, to be handed to what is loaded later: an import from there would make
 * this file's chunk a library, and larger.
 */
export const assetLook = { coin, codeOf, shortened };
export type AssetLook = typeof assetLook;
