/** An operator in one country: the currency that it collects, its limits, and the numbers that it serves. */
export interface MobileMoneyMarket {
  /** The operator's id, as in payout destinations: `mtn`, `mpesa` … */
  readonly provider: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Smallest and largest prompt, in minor units. */
  readonly least: bigint;
  readonly most: bigint;
  /** Smallest transfer to a wallet, in minor units, where it differs from the smallest prompt. */
  readonly leastTransfer?: bigint;
  /** Every prompt is a multiple of this, in minor units. Most operators collect whole units. */
  readonly step: bigint;
  /**
   * Beginnings of the operator's mobile numbers after the country code. A zero there belongs to the number (Ivory Coast).
   * Numbers may be ported: only a guess.
   */
  readonly prefixes: readonly string[];
}

/** A row of the table. Limits are in whole units of the currency. */
const market = (
  provider: string,
  country: string,
  currency: string,
  [least, most]: readonly [number, number],
  prefixes: string,
  minorPerUnit = 100n,
): MobileMoneyMarket => ({
  provider,
  country,
  currency,
  least: BigInt(least) * minorPerUnit,
  most: BigInt(most) * minorPerUnit,
  step: minorPerUnit,
  prefixes: prefixes.split(' '),
});

/** The least transfer of an operator in a currency, in minor units; 1 where the table has no row. */
export function leastOfOperator(provider: string, currency: string): bigint {
  const leasts = mobileMoneyMarkets
    .filter(each => each.provider === provider && each.currency === currency)
    .map(({ least, leastTransfer = least }) => leastTransfer);
  return leasts.reduce((least, each) => (each < least ? each : least), leasts[0] ?? 1n);
}

/**
 * The largest transfer of an operator in a currency, in minor units; null where the table has no row. Countries that
 * share a currency share the smallest of their limits.
 */
export function mostOfOperator(provider: string, currency: string): bigint | null {
  const found = mobileMoneyMarkets.filter(each => each.provider === provider && each.currency === currency);
  return found.reduce<bigint | null>((most, each) => (most !== null && most < each.most ? most : each.most), null);
}

/**
 * Where operators collect money, one row for each operator and country. Limits of one transaction and prefixes follow
 * the operators' published tariffs and the national numbering plans; a connector may narrow them.
 */
export const mobileMoneyMarkets: readonly MobileMoneyMarket[] = [
  {
    ...market('mpesa', 'KE', 'KES', [1, 250_000], '70 71 72 74 757 758 759 768 769 79 110 111 112 113 114 115'),
    leastTransfer: 1_000n,
  },
  market('airtel', 'KE', 'KES', [10, 250_000], '73 750 751 752 753 754 755 756 78 762 100 101 102 103 104 105 106'),
  market('mpesa', 'TZ', 'TZS', [100, 5_000_000], '74 75 76'),
  market('airtel', 'TZ', 'TZS', [100, 5_000_000], '68 69 78'),
  market('mtn', 'UG', 'UGX', [500, 5_000_000], '76 77 78 79', 1n),
  market('airtel', 'UG', 'UGX', [500, 5_000_000], '70 74 75', 1n),
  market('mtn', 'GH', 'GHS', [1, 15_000], '24 25 53 54 55 59'),
  market('mtn', 'RW', 'RWF', [100, 2_000_000], '78 79', 1n),
  market('airtel', 'RW', 'RWF', [100, 2_000_000], '72 73', 1n),
  market('mtn', 'ZM', 'ZMW', [1, 20_000], '76 96'),
  market('airtel', 'ZM', 'ZMW', [1, 20_000], '77 97'),
  market('mtn', 'CI', 'XOF', [100, 2_000_000], '05', 1n),
  market('orange', 'CI', 'XOF', [100, 2_000_000], '07', 1n),
  market('wave', 'CI', 'XOF', [100, 2_000_000], '01 05 07', 1n),
  market('orange', 'SN', 'XOF', [100, 2_000_000], '77 78', 1n),
  market('wave', 'SN', 'XOF', [100, 2_000_000], '70 75 76 77 78', 1n),
  market('mtn', 'CM', 'XAF', [100, 1_000_000], '650 651 652 653 654 67 680 681 682 683', 1n),
  market('orange', 'CM', 'XAF', [100, 1_000_000], '655 656 657 658 659 69 686 687 688 689', 1n),
];
