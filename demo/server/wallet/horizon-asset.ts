import type { HorizonAsset } from './horizon.ts';

/** The asset as the wallet names it: `XLM` or `CODE:ISSUER`. */
export function assetName({ asset_type: type, asset_code: code, asset_issuer: issuer }: HorizonAsset): string {
  return type === 'native' ? 'XLM' : `${code}:${issuer}`;
}

/** The asset as parameters of a query of Horizon, their names beginning with the prefix. */
export function assetQuery(prefix: string, asset: string): Record<string, string> {
  const [code = '', issuer] = asset.split(':');
  if (issuer === undefined) return { [`${prefix}_asset_type`]: 'native' };
  return {
    [`${prefix}_asset_type`]: code.length > 4 ? 'credit_alphanum12' : 'credit_alphanum4',
    [`${prefix}_asset_code`]: code,
    [`${prefix}_asset_issuer`]: issuer,
  };
}
