import { decodeStrkey } from '../../../../core/stellar/strkey.ts';
import type { Ledger } from '../../core/ledger.ts';
import { closingTimes } from '../../history/read-history.store.ts';
import type { StellarDb } from '../../tables.ts';
import { isAfter, type PageQuery, type PageRecord, pageOf } from '../http/page.ts';
import { HorizonProblem, invalidField, notFound } from '../http/problem.ts';
import { assetParameter, type HorizonRequest, requireAccount } from '../http/request.ts';
import { accountResource } from '../records/account.ts';
import type { Fields } from '../records/fields.ts';

/** Answers about accounts. */
interface AccountAnswers {
  accounts(view: HorizonView, request: HorizonRequest, page: PageQuery): Promise<readonly PageRecord[]>;
  account(view: HorizonView, request: HorizonRequest): Promise<Fields>;
  accountData(view: HorizonView, request: HorizonRequest): Promise<Fields>;
}

/** Makes the answers from the ledger; the database knows when ledgers closed. */
export function createAccountAnswers(db: StellarDb): AccountAnswers {
  return {
    accounts: async (view, request, page) => {
      const found = findAccounts(view, request);
      const { cursor, order } = page;
      const byId = (a: string, b: string) => (a < b ? -1 : 1);
      const ids = pageOf([...found], page, byId, id => isAfter(id, cursor, order));
      return await showAccounts(db, view, request, ids);
    },
    account: async (view, request) => {
      const id = requireAccount(request, 'account_id');
      const [record] = await showAccounts(db, view, request, [id]);
      if (record === undefined) throw notFound();
      return record.body;
    },
    accountData: async (view, request) => {
      const account = view.account(requireAccount(request, 'account_id'));
      const entry = account?.data.find(({ name }) => name === request.text('key'));
      if (entry === undefined) throw notFound();
      const value = Buffer.from(entry.value).toString('base64');
      return { value, ...(entry.sponsor !== null && { sponsor: entry.sponsor }) };
    },
  };
}

/** The ledger is read before the database is asked, so that all is of one ledger. */
async function showAccounts(
  db: StellarDb,
  view: HorizonView,
  { links }: HorizonRequest,
  ids: readonly string[],
): Promise<readonly PageRecord[]> {
  const whole = ids.flatMap(id => {
    const account = view.account(id);
    return account === null ? [] : [{ account, lines: view.trustlines(id), data: account.data }];
  });
  const times = await closingTimes(
    db,
    whole.map(({ account }) => account.lastModified),
  );
  return whole.map(parts => ({
    pagingToken: parts.account.id,
    body: accountResource({ ...parts, modifiedAt: times.get(parts.account.lastModified) ?? null }, links),
  }));
}

/** Exactly one filter says which accounts. */
function findAccounts(view: HorizonView, request: HorizonRequest): ReadonlySet<string> {
  const filters = ['signer', 'sponsor', 'asset', 'liquidity_pool'].filter(name => request.text(name) !== '');
  const [filter] = filters;
  if (filters.length !== 1 || filter === undefined) throw invalidAccountsParams();
  if (filter === 'signer') return signedBy(view, signerParameter(request));
  if (filter === 'sponsor') return sponsoredBy(view, requireAccount(request, 'sponsor'));
  return holding(view, filter === 'asset' ? heldAsset(request) : request.text(filter));
}

function invalidAccountsParams(): HorizonProblem {
  return new HorizonProblem({
    type: 'invalid_accounts_params',
    title: 'Invalid Accounts Parameters',
    status: 400,
    detail:
      'Exactly one filter is required. Please ensure that you are including a signer, sponsor, asset, or liquidity ' +
      'pool filter.',
  });
}

function signerParameter(request: HorizonRequest): string {
  const signer = request.text('signer');
  if (decodeStrkey('G', signer) === null)
    throw invalidField('signer', 'Account ID must start with `G` and contain 56 alphanum characters');
  return signer;
}

function heldAsset(request: HorizonRequest): string {
  const asset = assetParameter(request, 'asset');
  if (asset === null || asset === 'native') throw invalidField('asset', "you can't filter by asset: native");
  return asset;
}

function signedBy(view: HorizonView, signer: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id, thresholds, signers } of view.all().accounts) {
    if ((id === signer && thresholds.master > 0) || signers.some(({ key }) => key === signer)) ids.add(id);
  }
  return ids;
}

function sponsoredBy(view: HorizonView, sponsor: string): ReadonlySet<string> {
  const ids = new Set<string>();
  const { accounts, trustlines, offers } = view.all();
  for (const account of accounts) {
    if (account.sponsor === sponsor || account.signers.some(signer => signer.sponsor === sponsor)) ids.add(account.id);
  }
  for (const line of trustlines) if (line.sponsor === sponsor) ids.add(line.account);
  for (const offer of offers) if (offer.sponsor === sponsor) ids.add(offer.seller);
  return ids;
}

/** Accounts with a trust line to the asset, or to the shares of the pool. */
function holding(view: HorizonView, asset: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const line of view.all().trustlines) if (line.asset === asset) ids.add(line.account);
  return ids;
}

/** What a request sees of the network: the newest ledger, or one that lies a few back while a fault makes reads stale. */
export type HorizonView = Omit<Ledger, 'submit' | 'close' | 'load'>;
