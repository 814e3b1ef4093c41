import { html, type TemplateResult } from 'lit';
import type { CryptoAssetOption } from '../../api/crypto.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { type Desk, localeOf } from '../desk.ts';
import { recall } from '../memory.ts';
import { assetText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { cryptoStrings } from '../strings/en-crypto.ts';
import { codeOf, coin, inOrder, nameOf, shortened } from './crypto-assets.ts';

/** What the tab says, in the element's language. */
export const cryptoWords = ({ strings }: Desk): typeof cryptoStrings => strings.parts?.crypto ?? cryptoStrings;

/** One asset on one chain, as one text. */
export const keyOf = ({ chain, asset }: { readonly chain: string; readonly asset: string }): string =>
  `${chain} ${asset}`;

/** What the payer may send, well-known assets first. */
export const assetsOf = ({ options }: CheckoutState): CryptoAssetOption[] => inOrder(options?.crypto?.assets ?? []);

/** The asset that is marked: the payer's choice, the one of last time, the first. */
export function chosenAsset(assets: readonly CryptoAssetOption[], chosen: string): CryptoAssetOption | undefined {
  const find = (key: string | null) => assets.find(asset => keyOf(asset) === key);
  return find(chosen) ?? find(recall('localStorage', 'asset')) ?? assets[0];
}

/** The list of assets with what each costs, and the chain's fee for the one that is marked. */
export function choosing(
  desk: Desk,
  assets: readonly CryptoAssetOption[],
  chosen: CryptoAssetOption | undefined,
  choose: (asset: CryptoAssetOption) => void,
): TemplateResult {
  const strings = cryptoWords(desk);
  return html`<fieldset class="coins">
      <legend>${strings.choose}</legend>
      ${assets.map(
        asset => html`<label class="choice">
          <input type="radio" name="asset" .checked=${asset === chosen} @change=${() => choose(asset)} />
          ${coin(asset.asset)}
          <span>${codeOf(asset.asset)}<small>${subtitle(asset, assets, strings)}</small></span>
          <b>${assetText(asset.amount, '', localeOf(desk), 7).trim()}</b>
        </label>`,
      )}
    </fieldset>
    <p class="fine">${chosen && feeText(desk, chosen)}</p>`;
}

/** What kind of money it is, and whose where two assets have one code. */
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

/** How long it takes, and what the network takes. */
export function feeText(
  desk: Desk,
  { chain_name: chain, network_fee: fee, eta_seconds: seconds }: CryptoAssetOption,
): string {
  const locale = localeOf(desk);
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  const time = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  return say(cryptoWords(desk).fee, { chain, time, fee: assetText(fee, 'XLM', locale, 7) });
}
