import { parseAsset } from '../../../core/asset.ts';
import { parseUnits, stellarDecimals } from '../../../core/money.ts';

/**
 * How much may leave of each asset: by wire text, `*` for whatever is not named. An asset that is neither may not leave
 * at all. Null: there are no caps.
 */
export type SpendingCaps = ReadonlyMap<string, bigint> | null;

/** What may leave of the asset, in stroops; null: any amount. */
export function capOf(caps: SpendingCaps, asset: string): bigint | null {
  if (caps === null) return null;
  return caps.get(asset) ?? caps.get('*') ?? 0n;
}

/**
 * Reads `XLM=5000,USDC=2500.50,EURT:G…=100,*=0`; codes alone are looked up among those of the network. Throws Error with
 * what it takes. An empty text has no caps.
 */
export function parseCaps(text: string, knownAssets: Readonly<Record<string, string>>): SpendingCaps {
  if (text === '') return null;
  const entries = text.split(',').map(entry => {
    const [name = '', amount = '', ...rest] = entry.trim().split('=');
    const asset = name === '*' ? '*' : parseAsset(name, knownAssets);
    const cap = parseUnits(amount, stellarDecimals);
    if (asset === null || cap === null || rest.length > 0) {
      throw new Error(`takes amounts by asset such as XLM=5000,USDC=2500.50,*=0; “${entry.trim()}” is none`);
    }
    return [asset === '*' ? asset : assetText(asset), cap] as const;
  });
  const caps = new Map(entries);
  if (caps.size < entries.length) throw new Error('names an asset twice');
  return caps;
}

function assetText({ code, issuer }: { readonly code: string; readonly issuer: string | null }): string {
  return issuer === null ? code : `${code}:${issuer}`;
}
