import type { PageAssets } from './page-assets.ts';
import type { Limit } from './page-guard.ts';

/** What the hosted pages of all modules share. */
export interface PageDeps {
  /** The folder of the browser build. */
  readonly browserDir: string;
  readonly assets: PageAssets;
  /** Counts requests of wrong page addresses, all kinds together. */
  readonly limitWrong: Limit;
}
