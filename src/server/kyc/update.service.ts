import type { KycStatus, UpdateKyc } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { reachesTier } from '../../core/kyc/tiers.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { assertHolds, beginnerOf, type KycSession } from './access/kyc-session.ts';
import { checkSweep } from './checks/check.service.ts';
import { type Decision, decided, writeKyc } from './decision.ts';
import { readFields } from './field-value.ts';
import { digestsOf, type GivenFiles, storeFiles } from './files/given-files.ts';
import { listFiles } from './files/kyc-file.store.ts';
import { type GivenData, type GivenValues, merged, typed, withData } from './given-data.ts';
import { lockKyc } from './kyc.store.ts';
import { changedMeanwhile, missingFields, newKyc } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import { assertClear, assertCustomer, readKyc } from './read.service.ts';
import { openValues } from './sealed-values.ts';
import type { KycRow } from './tables.ts';

/**
 * `PUT /v1/customers/:id/kyc`: merges the given fields and files, and begins a review once nothing is missing. With
 * `ramps.kyc: platform`, `status` is the platform's decision, and no review begins. Throws `resource_missing`,
 * `operation_not_allowed`, `illegal_state` or the errors of wrong fields.
 */
export async function updateKyc(
  deps: KycDeps,
  caller: Caller,
  customerId: string,
  body: UpdateKyc,
  files: GivenFiles = new Map(),
  session: KycSession | null = null,
): Promise<KycRow> {
  await assertCustomer(deps, caller, customerId);
  const { kyc: mode } = await deps.findMerchant(caller.merchant.id);
  const values = readFields(body, caller.now);
  assertDecides(mode, body);
  const screened = body.status === 'approved' ? await screen(deps, caller, customerId, body, values) : null;
  const updated = await deps.db.transaction().execute(async tx => {
    const row = await lockKyc(tx, newKyc(scopeOf(caller), customerId, caller.now, beginnerOf(session)));
    assertHolds(session, row);
    if (screened !== null && screened.version !== row.version) throw changedMeanwhile();
    const kept = await listFiles(tx, scopeOf(caller), customerId);
    const given = { values, files, kept: digestsOf(kept) };
    const update = mode === 'platform' ? updateForPlatform : updateForService;
    const written = await update(deps, tx, caller, row, body, given);
    await storeFiles(tx, written, kept, files);
    return written;
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
  given: GivenValues,
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

async function updateForPlatform(
  deps: KycDeps,
  tx: Tx,
  { keyId, now }: Caller,
  before: KycRow,
  body: UpdateKyc,
  given: GivenData,
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
  given: GivenData,
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
