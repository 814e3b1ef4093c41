import type { ApproveKyc, RejectKyc, RequestMoreKyc } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { sep9Field } from '../../core/kyc/sep9-fields.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { type Decision, decided, writeKyc } from './decision.ts';
import { lockKyc } from './kyc.store.ts';
import { changedMeanwhile, missingFields, newKyc } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import { assertClear, readKyc } from './read.service.ts';
import { openValues } from './sealed-values.ts';
import type { KycRow } from './tables.ts';

/** Writes a decision that was prepared for the record as it was read. */
export type WriteDecision = (tx: Tx) => Promise<KycRow>;

type Words = Pick<Decision, 'to' | 'tier' | 'reasons' | 'askedAgain'>;

/** Prepares an approval. Throws `illegal_state` for missing fields, and for hits of screens unless they are overridden. */
export async function prepareApproval(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  { tier, override_flags: overrides = false }: ApproveKyc,
): Promise<WriteDecision> {
  const row = await readKyc(deps, caller, customerId);
  const wanted = tier ?? row.requested_tier;
  const missing = missingFields({ ...row, requested_tier: wanted, asked_again: [] });
  if (missing.length > 0) {
    throw new PayError('illegal_state', `Fields are missing for ${wanted}: ${missing.join(', ')}. Ask for them first.`);
  }
  if (!overrides) await assertClear(deps, caller, row, openValues(deps.secrets, row), wanted);
  return decide(caller, row, { to: 'approved', tier: wanted });
}

/** Prepares a request for more data. Throws `parameter_invalid` for a field that the customer's type does not have. */
export async function prepareRequest(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  { reasons, fields = [] }: RequestMoreKyc,
): Promise<WriteDecision> {
  const row = await readKyc(deps, caller, customerId);
  const index = fields.findIndex(name => sep9Field(name)?.of !== row.type);
  if (index >= 0) {
    const param = `fields[${index}]`;
    throw new PayError('parameter_invalid', `${param} is not a field of a ${row.type} in SEP-9.`, { param });
  }
  return decide(caller, row, { to: 'incomplete', reasons, askedAgain: [...new Set(fields)] });
}

export async function prepareRejection(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  { reasons }: RejectKyc,
): Promise<WriteDecision> {
  return decide(caller, await readKyc(deps, caller, customerId), { to: 'rejected', reasons });
}

/** Prepares a decision of any kind, for the test helper. */
export async function prepareDecision(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  words: Words,
): Promise<WriteDecision> {
  return decide(caller, await readKyc(deps, caller, customerId), words);
}

/** A decision about the record as it was read. Throws `illegal_state` if it changed, or has this decision already. */
function decide(caller: Caller, read: KycRow, words: Words): WriteDecision {
  const { keyId: by, now } = caller;
  return async tx => {
    const row = await lockKyc(tx, newKyc(scopeOf(caller), read.customer_id, now));
    if (row.version !== read.version) throw changedMeanwhile();
    const isRepeated = row.status === words.to && (words.tier === undefined || words.tier === row.tier);
    if (isRepeated && words.to !== 'incomplete') {
      throw new PayError('illegal_state', `The identity check is ${row.status} already.`);
    }
    return await writeKyc(tx, row, { to: words.to, set: decided(row, { ...words, by, now }), now });
  };
}
