import type { Wallet } from './wallet-store.ts';

/** What a screen is given. */
export interface ScreenPlace {
  readonly place: HTMLElement;
  readonly wallet: Wallet;
  /** What follows the screen's name in the address: of `#pay=…` the link. */
  readonly given: string | null;
  /** Aborts when the screen is left. */
  readonly signal: AbortSignal;
}

/** Fills its place. */
export type Screen = (given: ScreenPlace) => void;
