import type { ErasedCustomer } from '../../api/dashboard/customer.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Erasure, KeptRecords, LeavingCustomer } from '../platform/erasure.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { deleteCustomer, type ErasedRow, findErased, keepErasure, readCustomer } from './customer.store.ts';

export interface EraseDeps {
  readonly db: Db;
  /** How the modules erase, in the order of the list of modules. */
  readonly erasures: readonly Erasure[];
}

/**
 * `DELETE /v1/customers/:id`: erases the customer's personal data in all modules, in one transaction. A repeated call
 * gives the first answer. Throws `illegal_state` while something of the customer is open, or `resource_missing`.
 */
export async function eraseCustomer(deps: EraseDeps, caller: Caller, customerId: string): Promise<ErasedCustomer> {
  const scope = scopeOf(caller);
  const erased = await deps.db.transaction().execute(async tx => {
    const row = await readCustomer(tx, scope, customerId, 'lock').catch(async error => {
      const before = await findErased(tx, scope, customerId);
      if (before === null) throw error;
      return before;
    });
    if ('erased_at' in row) return row;
    const kept = await eraseEverywhere(tx, deps.erasures, { ...scope, customerId, email: row.email });
    await deleteCustomer(tx, row);
    const { merchantId: merchant_id, livemode } = scope;
    const record = { merchant_id, id: customerId, livemode, erased_by: caller.keyId, erased_at: caller.now, kept };
    return await keepErasure(tx, record);
  });
  return erasedToWire(erased);
}

/** Returns the records that the law requires. */
async function eraseEverywhere(
  tx: Tx,
  erasures: readonly Erasure[],
  customer: LeavingCustomer,
): Promise<readonly KeptRecords[]> {
  await assertNothingOpen(tx, erasures, customer);
  let ids: readonly string[] = [customer.customerId];
  for (const { objectsOf } of erasures) {
    if (objectsOf !== undefined) ids = [...ids, ...(await objectsOf(tx, customer, ids))];
  }
  const kept: KeptRecords[] = [];
  for (const { erase } of erasures) await erase?.(tx, customer, ids);
  for (const erasure of erasures) kept.push(...((await erasure.kept?.(tx, customer, ids)) ?? []));
  return kept.filter(({ count }) => count > 0);
}

async function assertNothingOpen(tx: Tx, erasures: readonly Erasure[], customer: LeavingCustomer): Promise<void> {
  const open: string[] = [];
  for (const { openWork } of erasures) open.push(...((await openWork?.(tx, customer)) ?? []));
  if (open.length === 0) return;
  const message = `The customer cannot be erased yet: ${open.slice(0, 5).join('; ')}. Finish or cancel these first.`;
  throw new PayError('illegal_state', message);
}

function erasedToWire({ id, erased_at: at, kept, livemode }: ErasedRow): ErasedCustomer {
  return { id, object: 'customer', deleted: true, erased_at: at.toISOString(), kept: [...kept], livemode };
}
