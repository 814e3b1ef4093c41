import type { LedgerView } from '../core/ledger.ts';
import type { Confirmations } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { StaleView } from '../node/stale-view.ts';
import { type SandboxMoney, SandboxMoneyError } from '../seeded/money.ts';
import type { StellarDb } from '../tables.ts';
import { accountAnswers } from './answers/accounts.ts';
import { assetStats } from './answers/assets.ts';
import { historyAnswers } from './answers/history.ts';
import { marketAnswers } from './answers/market.ts';
import { createSubmissionAnswers, type SubmissionAnswers } from './answers/submission.ts';
import { orderBook, strictReceive, strictSend } from './answers/trading.ts';
import type { ObjectAnswer, PageAnswer, PageQuery, PageRecord } from './http/page.ts';
import { badRequest, invalidField } from './http/problem.ts';
import type { HorizonRequest } from './http/request.ts';
import type { Fields } from './records/fields.ts';
import { rootDocument } from './records/ledger.ts';
import { transactionRecord } from './records/transaction.ts';

/** The answers to `GET` requests: lists by page, and objects. */
function getAnswers(db: StellarDb) {
  const [history, market, accounts] = [historyAnswers(db), marketAnswers(db), accountAnswers(db)];
  return {
    pages: { ...history.pages, ...market.pages, ...accounts.pages, assets: assetStats } satisfies Record<
      string,
      PageAnswer
    >,
    objects: {
      ...history.objects,
      ...market.objects,
      ...accounts.objects,
      orderBook,
      strictReceive,
      strictSend,
      root: ({ header }, { links }) => rootDocument(header, links),
    } satisfies Record<string, ObjectAnswer>,
  };
}

type GetAnswers = ReturnType<typeof getAnswers>;
export type PageName = keyof GetAnswers['pages'];
export type ObjectName = keyof GetAnswers['objects'];

/** The age of the state that a request sees. */
export interface Seen {
  /** The number of ledgers by which the answer is behind the newest ledger. */
  readonly behind: number;
}

/** The answers of Horizon, independent of HTTP. */
export interface Horizon extends SubmissionAnswers {
  page(name: PageName, request: HorizonRequest, page: PageQuery, seen: Seen): Promise<readonly PageRecord[]>;
  object(name: ObjectName, request: HorizonRequest, seen: Seen): Promise<Fields>;
  /** The number of the newest visible ledger. */
  sequence(seen: Seen): Promise<number>;
  friendbot(request: HorizonRequest, address: string): Promise<Fields>;
  /** Calls back after each ledger. Returns a function that unsubscribes. */
  onLedger(callback: () => void): () => void;
}

interface HorizonDeps {
  readonly db: StellarDb;
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly stale: StaleView;
  readonly money: SandboxMoney;
}

/** Answers about the newest ledger. Before these answers, an idle network closes a due ledger. */
const aboutTheLatest: ReadonlySet<string> = new Set<PageName | ObjectName>(['root', 'feeStats', 'ledgers', 'ledger']);

export function createHorizon(deps: HorizonDeps): Horizon {
  const { db, node, stale, money } = deps;
  const { pages, objects } = getAnswers(db);

  async function view({ behind }: Seen, name: string): Promise<LedgerView> {
    const newest = aboutTheLatest.has(name) ? await node.latest() : await node.current();
    return behind === 0 ? newest : await stale.behind(behind);
  }

  return {
    page: async (name, request, page, seen) => await pages[name](await view(seen, name), request, page),
    object: async (name, request, seen) => await objects[name](await view(seen, name), request),
    sequence: async seen => (await view(seen, '')).header.sequence,
    ...createSubmissionAnswers(deps),
    friendbot: async (request, address) => await friendbot(money, request, address),
    onLedger: node.onLedger,
  };
}

async function friendbot(money: SandboxMoney, request: HorizonRequest, address: string): Promise<Fields> {
  if (!address.startsWith('G')) throw invalidField('addr', 'an account (G…) is needed');
  try {
    return transactionRecord(await money.fundNewAccount(address), request.links);
  } catch (error) {
    throw error instanceof SandboxMoneyError ? badRequest(error.message) : error;
  }
}
