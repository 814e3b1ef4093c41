/** A price as a source reports it: what one whole unit of `from` costs in whole units of `to`, as decimal text. */
export interface ReportedPrice {
  readonly price: string;
  readonly asOf: Date;
}

/** Where prices come from. Names are currency codes (`EUR`) and asset texts (`XLM`, `USDC:G…`). */
export interface RateSource {
  readonly id: string;
  /** Asset codes that are understood without their issuer. */
  readonly wellKnownAssets: Readonly<Record<string, string>>;
  /** The price now, or null when the source does not know the pair. */
  price(from: string, to: string): Promise<ReportedPrice | null>;
}
