import type { Confirmations } from '../node/confirmations.ts';
import type { Laggard } from '../node/laggard.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import { type SandboxMoney, SandboxMoneyError } from '../sandbox-money.ts';
import type { StellarDb } from '../stellar-tables.ts';
import { createAccountAnswers } from './account-answers.ts';
import { createHistoryAnswers } from './history-answers.ts';
import type { Horizon, ObjectName, PageName, Seen } from './horizon.ts';
import type { PageQuery, PageRecord } from './horizon-page.ts';
import { badRequest, invalidField } from './horizon-problem.ts';
import type { HorizonRequest } from './horizon-request.ts';
import type { Fields } from './horizon-values.ts';
import type { HorizonView } from './horizon-view.ts';
import { createMarketAnswers } from './market-answers.ts';
import { rootDocument } from './root-document.ts';
import { createSubmissionAnswers } from './submission-answers.ts';
import { orderBook, strictReceive, strictSend } from './trading-answers.ts';
import { transactionResource } from './transaction-resource.ts';

/** What Horizon’s answers stand on. */
export interface HorizonDeps {
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
