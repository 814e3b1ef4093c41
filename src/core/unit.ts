import { currencyDecimals, parseCurrency } from './currency.ts';
import { formatUnits, maxWireAmount } from './money.ts';
import { mostStroops, stellarDecimals } from './stellar/stellar-amount.ts';

/** A currency or an asset of a chain: what amounts in it need. Amounts are bigints of its smallest unit. */
export interface Unit {
  /** For people: `EUR`, `USDC`. */
  readonly code: string;
  /** Decimals of the smallest unit. */
  readonly decimals: number;
  /** The largest amount: of the API for a currency, of the chain for an asset. */
  readonly most: bigint;
}

/** The assets of one kind of chain, which are told apart by their wire texts. */
interface AssetKind extends Omit<Unit, 'code'> {
  readonly texts: RegExp;
}

/** One line for each kind of chain. */
const assetKinds: readonly AssetKind[] = [
  // `XLM`, `CODE`, `CODE:ISSUER`.
  { texts: /^[A-Za-z0-9]{1,12}(:G[A-Z2-7]{55})?$/, decimals: stellarDecimals, most: mostStroops },
];

/** The unit of an ISO 4217 code or of an asset's wire text. Throws RangeError for any other text. */
export function unitOf(text: string): Unit {
  const currency = parseCurrency(text);
  if (currency !== null) return { code: currency, decimals: currencyDecimals(currency), most: maxWireAmount };
  const kind = assetKinds.find(({ texts }) => texts.test(text));
  if (kind === undefined) throw new RangeError(`no chain has the asset ${text.slice(0, 80)}`);
  return { code: text.split(':')[0] ?? text, decimals: kind.decimals, most: kind.most };
}

/** Text of an amount with all decimals of its currency or asset: `12.50` for EUR, `3.0000000` for XLM. */
export function unitText(amount: bigint, unit: string): string {
  return formatUnits(amount, unitOf(unit).decimals);
}
