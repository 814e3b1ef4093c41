import { addSeconds } from '../../../core/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { claimChecks, type DueCheck, dueChecks, lockKyc, postponeCheck } from '../kyc.store.ts';
import { newKyc } from '../kyc.ts';
import type { KycDeps } from '../kyc-deps.ts';
import type { CheckOutcome, KycProvider } from '../provider.ts';
import { askScreens } from '../screen.ts';
import { openValues } from '../sealed-values.ts';
import type { KycRow } from '../tables.ts';
import { applyOutcome, type KnownOutcome } from './check-outcome.ts';

/** The sweep that submits checks to the provider and asks for their outcome. */
export const checkSweep = 'kyc.checks';

/** Checks of one batch. Each is a request to the provider. */
const mostChecks = 20;

/** Seconds until a pending check is asked about again: first, and at most. Callbacks usually come first. */
const firstSeconds = 30;
const longestSeconds = 6 * 3600;

export function createCheckSweep(deps: KycDeps): Sweep {
  return {
    name: checkSweep,
    due: [dueChecks],
    run: async () => {
      const checks = await claimChecks(deps.db, { now: deps.clock.now(), limit: mostChecks });
      await runEach(checks, check => followCheck(deps, check));
      return checks.length;
    },
  };
}

const scopeOfRow = ({ merchant_id: merchantId, livemode }: KycRow): MerchantScope => ({ merchantId, livemode });

/** The provider's name of the customer. It names the record, so that callbacks find it. */
export function subjectOf({ secrets }: Pick<KycDeps, 'secrets'>, row: KycRow, { id }: KycProvider): string {
  return secrets.railToken(`kyc ${id}`, row.merchant_id, row.id);
}

/** When a check is asked about again. */
function nextAsk({ asked }: KycRow, now: Date): Date {
  return addSeconds(now, Math.min(firstSeconds * 2 ** Math.min(asked, 16), longestSeconds));
}

/** Submits a claimed check, or asks for its outcome, and books the answer. */
async function followCheck(deps: KycDeps, check: DueCheck): Promise<void> {
  const { kycProvider: provider } = deps;
  const { clock: now } = check;
  // Another provider may have been configured meanwhile, or none.
  if (provider?.livemode !== check.livemode)
    return await postponeCheck(deps.db, check, addSeconds(now, longestSeconds));
  const outcome = await askProvider(deps, provider, check, now);
  if (outcome === null || outcome.state === 'unknown') return await postponeCheck(deps.db, check, nextAsk(check, now));
  await bookOutcome(deps, check, provider, outcome, { now });
}

/** The outcome of the record's check. Null: the provider does not know it, so it is submitted next. */
export async function askProvider(
  deps: Pick<KycDeps, 'secrets'>,
  provider: KycProvider,
  row: KycRow,
  now: Date,
): Promise<CheckOutcome | null> {
  const isKnown = row.provider === provider.id;
  const { attempt, type, requested_tier: tier } = row;
  const subject = {
    subject: subjectOf(deps, row, provider),
    attempt,
    reference: isKnown ? row.provider_reference : null,
  };
  if (row.submitted && isKnown) return await provider.read({ ...subject, now });
  return await provider.submit({ ...subject, type, tier, values: openValues(deps.secrets, row), now });
}

/** What else is booked with an outcome. */
interface Booking {
  readonly now: Date;
  /** The columns of the callback that led to the outcome. */
  readonly set?: Partial<KycRow>;
}

/**
 * Books an outcome of the record that was read before. Asks the screens before an approval. Books nothing if the record
 * has changed meanwhile: its newer data has a check of its own. Throws `illegal_state` for an outcome that goes back.
 */
export async function bookOutcome(
  deps: KycDeps,
  read: KycRow,
  provider: KycProvider,
  outcome: KnownOutcome,
  { now, set = {} }: Booking,
): Promise<void> {
  const { customer_id: customerId, type, requested_tier: tier } = read;
  const values = openValues(deps.secrets, read);
  const asked = { ...scopeOfRow(read), customerId, type, tier, values };
  const flags =
    outcome.state === 'approved' && read.status !== 'approved' ? await askScreens(deps.kycScreens, asked) : [];
  await deps.db.transaction().execute(async (tx: Tx) => {
    const row = await lockKyc(tx, newKyc(scopeOfRow(read), customerId, now));
    if (row.version !== read.version) return;
    const known = { ...set, provider: provider.id, provider_reference: outcome.reference, submitted: true };
    await applyOutcome(tx, row, outcome, { set: known, flags, nextAsk: nextAsk(row, now), now });
  });
}
