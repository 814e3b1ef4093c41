import type { KycStatus, UpdateKyc } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { sep9Field } from '../../core/kyc/sep9-fields.ts';
import { reachesTier } from '../../core/kyc/tiers.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { invalidRequest } from '../platform/http/validation.ts';
import { checkSweep } from './checks/check.service.ts';
import { type Decision, decided, writeKyc } from './decision.ts';
import { readFields } from './field-value.ts';
import { lockKyc } from './kyc.store.ts';
import { changedMeanwhile, missingFields, newKyc } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import type { KycValues } from './provider.ts';
import { assertClear, assertCustomer, readKyc } from './read.service.ts';
import { openValues, sealValues } from './sealed-values.ts';
import type { KycRow } from './tables.ts';

type Given = ReadonlyMap<string, string | null>;

/**
 * `PUT /v1/customers/:id/kyc`: merges the given fields, and begins a review once nothing is missing. With
 * `ramps.kyc: platform`, `status` is the platform's decision, and no review begins. Throws `resource_missing`,
 * `operation_not_allowed`, `illegal_state` or the errors of wrong fields.
 */
export async function updateKyc(deps: KycDeps, caller: Caller, customerId: string, body: UpdateKyc): Promise<KycRow> {
  await assertCustomer(deps, caller, customerId);
  const { kyc: mode } = await deps.findMerchant(caller.merchant.id);
  const given = readFields(body, caller.now);
  assertDecides(mode, body);
  const screened = body.status === 'approved' ? await screen(deps, caller, customerId, body, given) : null;
  const updated = await deps.db.transaction().execute(async tx => {
    const row = await lockKyc(tx, newKyc(scopeOf(caller), customerId, caller.now));
    if (screened !== null && screened.version !== row.version) throw changedMeanwhile();
    return mode === 'platform'
      ? await updateForPlatform(deps, tx, caller, row, body, given)
      : await updateForService(deps, tx, caller, row, body, given);
  });
  if (updated.due_at !== null) deps.wake(checkSweep);
  return updated;
}

/** Asks the screens before a platform's approval. Returns the record that was screened. Throws `illegal_state` for a hit. */
async function screen(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  body: UpdateKyc,
  given: Given,
): Promise<KycRow> {
  const row = typed(await readKyc(deps, caller, customerId), body);
  await assertClear(deps, caller, row, merged(openValues(deps.secrets, row), given), body.tier);
  return row;
}

/** Only a platform decides by this call. `provider_reference` and `rejection_reasons` belong to its decision. */
function assertDecides(mode: 'service' | 'platform', body: UpdateKyc): void {
  const params = (['status', 'provider_reference', 'rejection_reasons'] as const).filter(
    name => body[name] !== undefined,
  );
  const [param] = params;
  if (param === undefined) return;
  if (mode === 'service') {
    const message =
      'The account’s ramps.kyc is service: its provider and staff decide. Change it to platform to decide by API.';
    throw new PayError('operation_not_allowed', message, { param });
  }
  if (body.status === undefined) {
    throw new PayError('parameter_missing', `${param} belongs to a decision. Send status too.`, { param: 'status' });
  }
}

/** The record with the type of the request. A check that has begun keeps its type. Throws `illegal_state`. */
function typed(row: KycRow, { type = row.type }: UpdateKyc): KycRow {
  if (type === row.type) return row;
  if (row.tier === null && (row.status === 'not_started' || row.status === 'incomplete')) {
    return { ...row, type, asked_again: [] };
  }
  const message = `The identity check is ${row.status} for a ${row.type}. Its type can no longer change.`;
  throw new PayError('illegal_state', message, { param: 'type' });
}

/** The columns that store the record's data after the request, and whether the request changed values. */
function withData({ secrets }: KycDeps, before: KycRow, body: UpdateKyc, given: Given) {
  const row = typed(before, body);
  assertFits(row, given);
  const old = openValues(secrets, before);
  const kept = Object.entries(old).filter(([name]) => sep9Field(name)?.of === row.type);
  const values = merged(Object.fromEntries(kept), given);
  const names = [...new Set([...Object.keys(old), ...Object.keys(values)])];
  const changed = names.filter(name => old[name] !== values[name]);
  const set: Partial<KycRow> = {
    type: row.type,
    asked_again: row.asked_again.filter(name => !given.has(name) || given.get(name) === null),
    ...(changed.length > 0 && sealValues(secrets, row, values)),
  };
  // Another value takes the basis of an approval away; a further field does not.
  return {
    row: { ...row, ...set },
    set,
    isChanged: changed.length > 0,
    isCorrected: changed.some(name => name in old),
  };
}

function merged(values: KycValues, given: Given): KycValues {
  const all = Object.entries({ ...values, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Throws `parameter_invalid` for fields of the other type. */
function assertFits({ type }: KycRow, given: Given): void {
  const wrong = [...given.keys()].filter(name => sep9Field(name)?.of !== type);
  if (wrong.length === 0) return;
  const errors = wrong.map(param => ({
    param,
    code: 'parameter_invalid' as const,
    message: `${param} does not belong to a ${type}. Send the matching type with it.`,
  }));
  throw invalidRequest(errors);
}

async function updateForPlatform(
  deps: KycDeps,
  tx: Tx,
  { keyId, now }: Caller,
  before: KycRow,
  body: UpdateKyc,
  given: Given,
): Promise<KycRow> {
  const { row, set, isChanged } = withData(deps, before, body, given);
  const hasNewValues = isChanged;
  if (body.status === undefined) {
    const tier = { requested_tier: body.tier ?? row.requested_tier };
    const to = row.status === 'not_started' ? 'incomplete' : row.status;
    return await writeKyc(tx, before, { to, set: { ...set, ...tier }, hasNewValues, now });
  }
  const decision: Decision = {
    to: body.status,
    tier: body.tier,
    reasons: body.rejection_reasons,
    askedAgain: row.asked_again,
    by: keyId,
    now,
  };
  const reference = body.provider_reference === undefined ? row.provider_reference : body.provider_reference;
  const further = { ...set, ...decided(row, decision), provider: null, provider_reference: reference };
  return await writeKyc(tx, before, { to: body.status, set: further, hasNewValues, now });
}

async function updateForService(
  deps: KycDeps,
  tx: Tx,
  { now }: Caller,
  before: KycRow,
  body: UpdateKyc,
  given: Given,
): Promise<KycRow> {
  if (before.status === 'rejected') {
    const message = 'The customer was rejected. Your staff can ask for more data first.';
    throw new PayError('illegal_state', message);
  }
  const { row, set, isChanged, isCorrected } = withData(deps, before, body, given);
  const requested = body.tier ?? row.requested_tier;
  const tier = isCorrected ? null : row.tier;
  const next = { ...row, requested_tier: requested, tier };
  const isNew = isChanged || requested !== before.requested_tier;
  const to = isNew ? statusOf(next) : before.status === 'not_started' ? 'incomplete' : before.status;
  const review = isNew ? reviewOf(deps, row, to, now) : {};
  const data = { ...set, requested_tier: requested, tier, ...review };
  return await writeKyc(tx, before, { to, set: data, hasNewValues: isChanged, now });
}

/** The status that follows from the data alone. */
function statusOf(row: KycRow): KycStatus {
  if (missingFields(row).length > 0) return 'incomplete';
  return reachesTier(row.tier, row.requested_tier) ? 'approved' : 'under_review';
}

/** The columns of a new review, or of its end. New data makes earlier reasons and hits obsolete. */
function reviewOf({ kycProvider }: KycDeps, row: KycRow, to: KycStatus, now: Date): Partial<KycRow> {
  const isChecked = to === 'under_review' && kycProvider?.livemode === row.livemode;
  return {
    rejection_reasons: to === 'incomplete' ? row.rejection_reasons : [],
    flags: [],
    asked: 0,
    due_at: isChecked ? now : null,
    // The provider may still correct its decision about an approved customer, whose data is the same.
    submitted: to === 'approved' && row.submitted,
    ...(isChecked && { attempt: row.attempt + 1 }),
  };
}
