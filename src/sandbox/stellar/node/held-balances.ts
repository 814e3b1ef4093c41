import { type ClaimableBalanceIdWire, LedgerEntry, LedgerKey } from '@stellar/stellar-sdk/xdr';
import { assetText } from '../core/ledger-asset.ts';
import type { StellarDb } from '../stellar-tables.ts';
import { entriesByKey } from './kept-ledger.store.ts';
import type { Held } from './movements.ts';
import { balanceIdText } from './participants.ts';

/** What claimable balances hold, by their id, as far as the database has them. */
export async function readBalances(
  db: StellarDb,
  ids: readonly ClaimableBalanceIdWire[],
): Promise<ReadonlyMap<string, Held>> {
  if (ids.length === 0) return new Map();
  const keys = ids.map(balanceId => LedgerKey.schema.encode({ type: 4, claimableBalance: { balanceId } }));
  const entries = await entriesByKey(
    db,
    keys.map(key => Buffer.from(key).toString('base64')),
  );
  return new Map(
    entries.flatMap(({ entryXdr }) => {
      const { data } = LedgerEntry.schema.decode(Buffer.from(entryXdr, 'base64'));
      if (data.type !== 4) return [];
      const { balanceId, asset, amount } = data.claimableBalance;
      return [[balanceIdText(balanceId), { asset: assetText(asset), amount }] as const];
    }),
  );
}
