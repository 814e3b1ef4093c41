import { decodeStrkey } from '../../../../core/stellar/strkey.ts';
import type { LedgerView } from '../../core/ledger.ts';
import { closingTimes } from '../../history/read-history.store.ts';
import type { StellarDb } from '../../tables.ts';
import { isAfter, type ObjectAnswer, type PageAnswer, type PageRecord, pageOf } from '../http/page.ts';
import { HorizonProblem, invalidField, notFound } from '../http/problem.ts';
import { accountReason, assetParameter, type HorizonRequest, requireAccount } from '../http/request.ts';
import { accountRecord } from '../records/ledger-entries.ts';

/** Answers about accounts and their data entries. Reads only close times from the database. */
export function accountAnswers(db: StellarDb) {
  const accounts: PageAnswer = async (view, request, page) => {
    const byId = (a: string, b: string) => (a < b ? -1 : 1);
    const ids = pageOf([...findAccounts(view, request)], page, byId, id => isAfter(id, page.cursor, page.order));
    return await accountRecords(db, view, request, ids);
  };
  const account: ObjectAnswer = async (view, request) => {
    const [record] = await accountRecords(db, view, request, [requireAccount(request, 'account_id')]);
    if (record === undefined) throw notFound();
    return record.body;
  };
  const accountData: ObjectAnswer = (view, request) => {
    const found = view.account(requireAccount(request, 'account_id'));
    const entry = found?.data.find(({ name }) => name === request.text('key'));
    if (entry === undefined) throw notFound();
    const value = Buffer.from(entry.value).toString('base64');
    return { value, ...(entry.sponsor !== null && { sponsor: entry.sponsor }) };
  };
  return { pages: { accounts }, objects: { account, accountData } };
}

/** The records of accounts. Reads the ledger before the first `await`, so that all records show the same ledger. */
async function accountRecords(
  db: StellarDb,
  view: LedgerView,
  { links }: HorizonRequest,
  ids: readonly string[],
): Promise<readonly PageRecord[]> {
  const found = ids.flatMap(id => {
    const account = view.account(id);
    return account === null ? [] : [{ account, lines: view.trustlines(id) }];
  });
  const times = await closingTimes(
    db,
    found.map(({ account }) => account.lastModified),
  );
  return found.map(({ account, lines }) => ({
    pagingToken: account.id,
    body: accountRecord(account, lines, times.get(account.lastModified) ?? null, links),
  }));
}

/** The accounts that match the filter of the request. Throws a problem unless the request has exactly one filter. */
function findAccounts(view: LedgerView, request: HorizonRequest): ReadonlySet<string> {
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
  if (decodeStrkey('G', signer) === null) throw invalidField('signer', accountReason);
  return signer;
}

function heldAsset(request: HorizonRequest): string {
  const asset = assetParameter(request, 'asset');
  if (asset === null || asset === 'native') throw invalidField('asset', "you can't filter by asset: native");
  return asset;
}

function signedBy(view: LedgerView, signer: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id, thresholds, signers } of view.all().accounts) {
    if ((id === signer && thresholds.master > 0) || signers.some(({ key }) => key === signer)) ids.add(id);
  }
  return ids;
}

function sponsoredBy(view: LedgerView, sponsor: string): ReadonlySet<string> {
  const ids = new Set<string>();
  const { accounts, trustlines, offers } = view.all();
  for (const account of accounts) {
    if (account.sponsor === sponsor || account.signers.some(signer => signer.sponsor === sponsor)) ids.add(account.id);
  }
  for (const line of trustlines) if (line.sponsor === sponsor) ids.add(line.account);
  for (const offer of offers) if (offer.sponsor === sponsor) ids.add(offer.seller);
  return ids;
}

/** Accounts with a trust line for the asset or for the pool’s shares. */
function holding(view: LedgerView, asset: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const line of view.all().trustlines) if (line.asset === asset) ids.add(line.account);
  return ids;
}
