import type { StellarAsset } from '../../../core/asset.ts';
import type { ErrorCode } from '../../../core/error.ts';

/** The data for checking destinations: assets, providers and the service's account. */
export interface DestinationContext {
  /** The Stellar asset of a wire text. Throws `invalid_asset` for `param`. */
  readonly assets: (text: string, param: string) => StellarAsset;
  /** The connected mobile-money providers, in lower case. */
  readonly providers: readonly string[];
  /** The service's Stellar account. Payouts to it are rejected, because the service cannot pay itself. */
  readonly ownAccount: string;
}

/** Reports a wrong field. An empty field name means the destination itself. */
export type Refuse = (field: string, code: ErrorCode, message: string) => null;
