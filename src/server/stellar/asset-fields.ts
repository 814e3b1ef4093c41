import { parseAsset } from '../../core/asset.ts';
import { formatUnits, stellarDecimals } from '../../core/money.ts';
import type { JsonRecord } from './json-record.ts';
import { StellarUnavailable } from './network.ts';

/** The wire text of the asset in the fields `asset_type`, `asset_code`, `asset_issuer`, or those with the prefix before. */
export function horizonAsset(record: JsonRecord, prefix = ''): string {
  if (record.text(`${prefix}asset_type`) === 'native') return 'XLM';
  return `${record.text(`${prefix}asset_code`)}:${record.text(`${prefix}asset_issuer`)}`;
}

/** The wire text of an asset in one word, as claimable balances have it: `native` or `CODE:ISSUER`. */
export function horizonAssetWord(word: string): string {
  return word === 'native' ? 'XLM' : word;
}

/** Of a list of assets in a query, one. */
export function toHorizonAssetWord(asset: string): string {
  return asset === 'XLM' ? 'native' : asset;
}

/** The query fields of an asset. */
export function toHorizonAsset(text: string, prefix: 'source_' | 'destination_'): Record<string, string> {
  const asset = parseAsset(text, {});
  if (asset === null) throw new StellarUnavailable(`“${text}” is no asset`);
  if (asset.issuer === null) return { [`${prefix}asset_type`]: 'native' };
  return {
    [`${prefix}asset_type`]: asset.code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12',
    [`${prefix}asset_code`]: asset.code,
    [`${prefix}asset_issuer`]: asset.issuer,
  };
}

/** Decimal text of stroops. */
export function toHorizonAmount(stroops: bigint): string {
  return formatUnits(stroops, stellarDecimals);
}
