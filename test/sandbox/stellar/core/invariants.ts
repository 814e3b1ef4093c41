import type { Entry, LedgerHeader } from '../../../../src/sandbox/stellar/core/state/entries.ts';
import { offerLiabilities } from '../../../../src/sandbox/stellar/core/trading/exchange.ts';

type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>['entry'];

const ofKind = <Kind extends Entry['kind']>(entries: readonly Entry[], kind: Kind): Of<Kind>[] =>
  entries.filter(entry => entry.kind === kind).map(({ entry }) => entry as Of<Kind>);

const add = (sums: Map<string, bigint>, key: string, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
};

/** The supply of each asset: on accounts and trust lines, in pools, in claimable balances. */
export function supply(entries: readonly Entry[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { balance } of ofKind(entries, 'account')) add(sums, 'native', balance);
  for (const { asset, balance } of ofKind(entries, 'line')) add(sums, asset, balance);
  for (const { asset, amount } of ofKind(entries, 'balance')) add(sums, asset, amount);
  for (const { assetA, assetB, reserveA, reserveB } of ofKind(entries, 'pool')) {
    add(sums, assetA, reserveA);
    add(sums, assetB, reserveB);
  }
  return sums;
}

const isOwnCredit = (account: string, asset: string): boolean => asset.endsWith(account);

/** Checks the invariants of a ledger. Each returned sentence is a violation. */
export function violations(entries: readonly Entry[], header: LedgerHeader): string[] {
  const found = [
    ...coins(entries, header),
    ...balances(entries),
    ...liabilities(entries),
    ...counts(entries),
    ...pools(entries),
  ];
  return found.filter(breach => breach !== '');
}

function coins(entries: readonly Entry[], { totalCoins, feePool }: LedgerHeader): string[] {
  const all = (supply(entries).get('native') ?? 0n) + feePool;
  return all === totalCoins ? [] : [`coins are ${all}, not ${totalCoins}`];
}

function balances(entries: readonly Entry[]): string[] {
  const ofAccounts = ofKind(entries, 'account').filter(
    ({ balance, selling, buying }) => balance < 0n || selling < 0n || buying < 0n,
  );
  const ofLines = ofKind(entries, 'line').filter(
    ({ balance, selling, buying, limit }) =>
      balance < selling || selling < 0n || buying < 0n || balance + buying > limit,
  );
  return [
    ...ofAccounts.map(({ id }) => `balance of ${id}`),
    ...ofLines.map(line => `line of ${line.account} for ${line.asset}`),
  ];
}

/** The liabilities of accounts and trust lines equal those of their offers (CAP-3). */
function liabilities(entries: readonly Entry[]): string[] {
  const promised = new Map<string, bigint>();
  for (const { seller, selling, buying, price, amount } of ofKind(entries, 'offer')) {
    const offer = offerLiabilities(price, amount);
    if (!isOwnCredit(seller, selling)) add(promised, `${seller} ${selling} selling`, offer.selling);
    if (!isOwnCredit(seller, buying)) add(promised, `${seller} ${buying} buying`, offer.buying);
  }
  const holdings = [
    ...ofKind(entries, 'account').map(account => ({ ...account, owner: `${account.id} native` })),
    ...ofKind(entries, 'line').map(line => ({ ...line, owner: `${line.account} ${line.asset}` })),
  ];
  for (const { owner, buying, selling } of holdings) {
    add(promised, `${owner} selling`, -selling);
    add(promised, `${owner} buying`, -buying);
  }
  return [...promised].filter(([, left]) => left !== 0n).map(([key, left]) => `liabilities ${key} off by ${left}`);
}

/** The counts of sub-entries and sponsorships equal the entries (CAP-33). */
function counts(entries: readonly Entry[]): string[] {
  const count = new Map<string, bigint>();
  const reserve = (owner: string | null, sponsor: string | null, reserves: number, isSubEntry = true) => {
    if (owner !== null && isSubEntry) add(count, `${owner} subEntries`, BigInt(reserves));
    if (sponsor !== null) add(count, `${sponsor} sponsoring`, BigInt(reserves));
    if (sponsor !== null && owner !== null) add(count, `${owner} sponsored`, BigInt(reserves));
  };
  for (const { account, asset, sponsor } of ofKind(entries, 'line'))
    reserve(account, sponsor, asset.includes(':') ? 1 : 2);
  for (const { seller, sponsor } of ofKind(entries, 'offer')) reserve(seller, sponsor, 1);
  for (const { account, sponsor } of ofKind(entries, 'data')) reserve(account, sponsor, 1);
  for (const { claimants, sponsor } of ofKind(entries, 'balance')) reserve(null, sponsor, claimants.length);
  for (const { id, signers, sponsor } of ofKind(entries, 'account')) {
    reserve(id, sponsor, 2, false);
    for (const signer of signers) reserve(id, signer.sponsor, 1);
  }
  for (const { id, subEntries, sponsoring, sponsored } of ofKind(entries, 'account')) {
    for (const [key, value] of Object.entries({ subEntries, sponsoring, sponsored }))
      add(count, `${id} ${key}`, -BigInt(value));
  }
  return [...count].filter(([, left]) => left !== 0n).map(([key, left]) => `${key} off by ${left}`);
}

function pools(entries: readonly Entry[]): string[] {
  const shares = new Map<string, bigint>();
  const lines = ofKind(entries, 'line').filter(({ asset }) => !asset.includes(':'));
  for (const { asset, balance } of lines) add(shares, asset, balance);
  return ofKind(entries, 'pool').flatMap(pool => [
    shares.get(pool.id) === pool.shares ? '' : `shares of ${pool.id}`,
    BigInt(lines.filter(({ asset }) => asset === pool.id).length) === pool.trustlines ? '' : `lines of ${pool.id}`,
    pool.reserveA < 0n || pool.reserveB < 0n || (pool.shares === 0n) !== (pool.reserveA === 0n)
      ? `reserves of ${pool.id}`
      : '',
  ]);
}
