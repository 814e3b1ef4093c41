import type { GiveKyc, KycTier, SessionKyc } from '../../../api/kyc/kyc.ts';
import { PayError } from '../../../core/error.ts';
import { reachesTier } from '../../../core/kyc/tiers.ts';
import { type Caller, scopeOf } from '../../platform/http/access/caller.ts';
import { readFiles } from '../files/given-files.ts';
import { kycToWire } from '../kyc.ts';
import type { KycDeps } from '../kyc-deps.ts';
import { readKyc } from '../read.service.ts';
import type { KycRow } from '../tables.ts';
import { updateKyc } from '../update.service.ts';
import { assertHolds, type KycSession } from './kyc-session.ts';

/** A customer who gives data, the session, and the tier that it needs. */
export interface KycForm {
  readonly customerId: string;
  readonly session: KycSession;
  readonly tier: KycTier;
}

/** Identity checks as their customers see and fill them, for other modules. */
export interface KycForms {
  /** Throws `operation_not_allowed` for the check of another session. */
  read(caller: Caller, form: KycForm): Promise<SessionKyc>;
  /** Merges fields and files. Throws the errors of `read` and `updateKyc`, and `operation_not_allowed` on platforms. */
  give(caller: Caller, form: KycForm, body: GiveKyc, files: ReadonlyMap<string, Buffer>): Promise<SessionKyc>;
}

export function createKycForms(deps: KycDeps): KycForms {
  const isPlatform = async ({ merchant }: Caller) => (await deps.findMerchant(merchant.id)).kyc === 'platform';
  return {
    read: async (caller, form) => {
      const view = sessionView(await readHeld(deps, caller, form));
      return (await isPlatform(caller)) ? { ...view, fields: [] } : view;
    },
    give: async (caller, form, body, files) => {
      if (await isPlatform(caller)) {
        const message = 'The account decides about its customers itself (ramps.kyc: platform). It takes no data here.';
        throw new PayError('operation_not_allowed', message);
      }
      const { customerId, session } = form;
      const { requested_tier: tier } = await readHeld(deps, caller, form);
      const given = await readFiles(deps, scopeOf(caller), customerId, files, caller.now);
      return sessionView(await updateKyc(deps, caller, customerId, { ...body, tier }, given, session));
    },
  };
}

/** The record with at least the form's tier. Throws for the check of another session. */
async function readHeld(deps: KycDeps, caller: Caller, { customerId, session, tier }: KycForm): Promise<KycRow> {
  const row = await readKyc(deps, caller, customerId);
  // A customer without data has no check yet.
  if (row.status !== 'not_started') assertHolds(session, row);
  return { ...row, requested_tier: higherOf(row.requested_tier, tier) };
}

function sessionView(row: KycRow): SessionKyc {
  const { type, status, requested_tier, fields, rejection_reasons } = kycToWire(row);
  return { object: 'session_kyc', type, status, requested_tier, fields, rejection_reasons };
}

function higherOf(known: KycTier, needed: KycTier): KycTier {
  return reachesTier(known, needed) ? known : needed;
}
