import type { PageQuery, PageRecord } from './horizon-page.ts';
import type { HorizonRequest } from './horizon-request.ts';
import type { Fields } from './horizon-values.ts';
import type { SubmissionAnswers } from './submission-answers.ts';

/** Lists, by the name of what answers them. */
export type PageName =
  | 'accounts'
  | 'accountOffers'
  | 'assets'
  | 'claimableBalances'
  | 'ledgers'
  | 'offers'
  | 'operations'
  | 'payments'
  | 'pools'
  | 'transactions';

/** Single things, by the name of what answers them. */
export type ObjectName =
  | 'account'
  | 'accountData'
  | 'claimableBalance'
  | 'feeStats'
  | 'ledger'
  | 'offer'
  | 'operation'
  | 'orderBook'
  | 'pool'
  | 'root'
  | 'strictReceive'
  | 'strictSend'
  | 'transaction';

/** How a request is to be answered. */
export interface Seen {
  /** Ledgers by which the answer lies behind; 0: it is up to date. */
  readonly behind: number;
}

/** Everything that Horizon answers, whichever way the request came. */
export interface Horizon extends SubmissionAnswers {
  page(name: PageName, request: HorizonRequest, page: PageQuery, seen: Seen): Promise<readonly PageRecord[]>;
  object(name: ObjectName, request: HorizonRequest, seen: Seen): Promise<Fields>;
  /** The newest ledger that is seen. */
  sequence(seen: Seen): Promise<number>;
  friendbot(request: HorizonRequest, address: string): Promise<Fields>;
  /** Calls back after each ledger. Returns the function that ends that. */
  onLedger(callback: () => void): () => void;
}
