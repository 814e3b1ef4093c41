import type { Confirmations } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { Laggard } from '../node/stale-view.ts';
import { type SandboxMoney, SandboxMoneyError } from '../seeded/money.ts';
import type { StellarDb } from '../tables.ts';
import { createAccountAnswers, type HorizonView } from './answers/accounts.ts';
import { createHistoryAnswers } from './answers/history.ts';
import { createMarketAnswers } from './answers/market.ts';
import { createSubmissionAnswers, type SubmissionAnswers } from './answers/submission.ts';
import { orderBook, strictReceive, strictSend } from './answers/trading.ts';
import type { PageQuery, PageRecord } from './http/page.ts';
import { badRequest, invalidField } from './http/problem.ts';
import type { HorizonRequest } from './http/request.ts';
import type { Fields } from './records/fields.ts';
import { rootDocument } from './records/ledger.ts';
import { transactionResource } from './records/transaction.ts';

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

/** What Horizon’s answers stand on. */
interface HorizonDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly laggard: Laggard;
  readonly money: SandboxMoney;
}

type PageAnswer = (view: HorizonView, request: HorizonRequest, page: PageQuery) => Promise<readonly PageRecord[]>;
type ObjectAnswer = (view: HorizonView, request: HorizonRequest) => Fields | Promise<Fields>;

/** Answers for which an idle network must have closed the ledger that is due: they tell how far it is. */
const aboutTheLatest: ReadonlySet<string> = new Set(['root', 'feeStats', 'ledgers', 'ledger']);

/** Puts Horizon’s answers together. */
export function createHorizonAnswers(deps: HorizonDeps): Horizon {
  const { db, node, laggard, money } = deps;
  const history = createHistoryAnswers(db);
  const market = createMarketAnswers(db);
  const accounts = createAccountAnswers(db);
  const submissions = createSubmissionAnswers(deps);
  const pages: Readonly<Record<PageName, PageAnswer>> = { ...history, ...market, ...accounts };
  const objects: Readonly<Record<ObjectName, ObjectAnswer>> = {
    ...{ ...history, ...market, ...accounts, orderBook, strictReceive, strictSend },
    root: (view, { links }) => rootDocument(view, links),
  };

  async function view({ behind }: Seen, name: string): Promise<HorizonView> {
    const newest = aboutTheLatest.has(name) ? await node.latest() : await node.current();
    return behind === 0 ? newest : await laggard.behind(behind);
  }

  return {
    page: async (name, request, page, seen) => await pages[name](await view(seen, name), request, page),
    object: async (name, request, seen) => await objects[name](await view(seen, name), request),
    sequence: async seen => (await view(seen, '')).header.sequence,
    ...submissions,
    friendbot: async (request, address) => await befriend(money, request, address),
    onLedger: node.onLedger,
  };
}

async function befriend(money: SandboxMoney, request: HorizonRequest, address: string): Promise<Fields> {
  if (!address.startsWith('G')) throw invalidField('addr', 'an account (G…) is needed');
  try {
    return transactionResource(await money.befriend(address), request.links);
  } catch (error) {
    throw error instanceof SandboxMoneyError ? badRequest(error.message) : error;
  }
}
