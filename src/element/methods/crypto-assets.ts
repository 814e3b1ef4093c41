import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoAssetOption } from '../../api/crypto.ts';
import { type CheckoutContext, localeOf, stateOf } from '../checkout-context.ts';
import { assetText, moneyText } from '../money-text.ts';
import { recall } from '../state/browser-storage.ts';
import { type CheckoutState, dueOf } from '../state/checkout-state.ts';
import { cryptoStrings } from '../strings/en/crypto.ts';
import { say } from '../strings/en.ts';

/** Signs and colours of well-known assets, in the order in which they are offered. */
const marks: Readonly<Record<string, readonly [sign: string, colour: string]>> = {
  USDC: ['$', '#2775ca'],
  EURC: ['€', '#1a56c4'],
  XLM: ['X', '#47536b'],
  NGNC: ['₦', '#0b7a4b'],
  BRLC: ['R$', '#177a3d'],
};
const known = Object.keys(marks);

/** The code of an asset, for example `USDC` of `USDC:G…`. */
export const codeOf = (asset: string): string => asset.split(':')[0] ?? asset;

/** A shortened account, for example `GBBD…FLA5`. */
export const shortened = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** The name of a well-known asset, otherwise its issuer. The issuer is needed, because any issuer may use any code. */
export function nameOf(asset: string, names: typeof cryptoStrings.names): string {
  const [code = '', issuer] = asset.split(':');
  return names[code as keyof typeof names] ?? (issuer ? shortened(issuer) : '');
}

/** Sorts well-known assets to the front. */
export function inOrder<T extends Pick<CryptoAssetOption, 'asset'>>(assets: readonly T[]): T[] {
  const rank = ({ asset }: T) => {
    const at = known.indexOf(codeOf(asset));
    return at < 0 ? known.length : at;
  };
  return [...assets].sort((one, other) => rank(one) - rank(other));
}

/** The asset's sign on a coloured disc. It is an SVG, because a strict CSP forbids style attributes. */
export function coin(asset: string): TemplateResult {
  const code = codeOf(asset);
  const [sign, colour] = marks[code] ?? [code.slice(0, 1), '#47536b'];
  return html`<svg class="coin" viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="16" fill=${colour}></circle>
    <text x="16" y="21" font-size=${sign.length > 1 ? 12 : nothing}>${sign}</text>
  </svg>`;
}

/**
 * Functions that show assets and accounts. The wallet's chunk gets them as a value. An import would make the bundler
 * export more from this chunk.
 */
export const assetLook = { coin, codeOf, shortened };
export type AssetLook = typeof assetLook;

/** The sentences of the tab, in the element's language. */
export const cryptoWords = ({ strings }: CheckoutContext): typeof cryptoStrings =>
  strings.parts?.crypto ?? cryptoStrings;

/** Identifies an asset on a chain. */
export const keyOf = ({ chain, asset }: { readonly chain: string; readonly asset: string }): string =>
  `${chain} ${asset}`;

/** The assets that the payer may send, well-known ones first. */
export const assetsOf = ({ options }: CheckoutState): CryptoAssetOption[] => inOrder(options?.crypto?.assets ?? []);

/** The selected asset: the payer's choice, otherwise the choice of the last visit, otherwise the first. */
export function chosenAsset(assets: readonly CryptoAssetOption[], chosen: string): CryptoAssetOption | undefined {
  const find = (key: string | null) => assets.find(asset => keyOf(asset) === key);
  return find(chosen) ?? find(recall('localStorage', 'asset')) ?? assets[0];
}

/** The list of assets with their amounts and values, and the network fee of the selected asset. */
export function choosing(
  context: CheckoutContext,
  assets: readonly CryptoAssetOption[],
  chosen: CryptoAssetOption | undefined,
  choose: (asset: CryptoAssetOption) => void,
): TemplateResult {
  const strings = cryptoWords(context);
  const { payment } = stateOf(context);
  const value = payment && `≈\u00a0${moneyText(dueOf(payment), payment.currency, localeOf(context))}`;
  return html`<fieldset class="coins">
      <legend>${strings.choose}</legend>
      ${assets.map(
        asset => html`<label class="choice">
          <input type="radio" name="asset" .checked=${asset === chosen} @change=${() => choose(asset)} />
          ${coin(asset.asset)}
          <span>${codeOf(asset.asset)}<small>${subtitle(asset, assets, strings)}</small></span>
          <b>${assetText(asset.amount, '', localeOf(context), 7).trim()}<small>${value}</small></b>
        </label>`,
      )}
    </fieldset>
    <p class="fine">${chosen && feeText(context, chosen)}</p>`;
}

/** The name of the asset, with its issuer if two assets share a code. */
function subtitle(
  { asset }: CryptoAssetOption,
  assets: readonly CryptoAssetOption[],
  { names }: typeof cryptoStrings,
): string {
  const name = nameOf(asset, names);
  const issuer = shortened(asset.split(':')[1] ?? '');
  const isAmbiguous = assets.filter(other => codeOf(other.asset) === codeOf(asset)).length > 1;
  return isAmbiguous && name !== issuer ? `${name} · ${issuer}` : name;
}

/** The duration of a transfer and the network fee. */
export function feeText(
  context: CheckoutContext,
  { chain_name: chain, network_fee: fee, eta_seconds: seconds }: CryptoAssetOption,
): string {
  const locale = localeOf(context);
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  const time = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  return say(cryptoWords(context).fee, { chain, time, fee: assetText(fee, 'XLM', locale, 7) });
}
