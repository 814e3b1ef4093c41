import type { RampTerms, UpdateRampSettings } from '../../../api/ramps/ramp-settings.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { findTerms, saveTerms } from '../ramp.store.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { changedTerms } from './terms.ts';

/** The account's setting `ramps`, without `kyc`. */
export interface TermsAccess {
  read(db: Executor, merchantId: string): Promise<RampTerms>;
  /** Changes the given fields. Throws a PayError that names the first wrong field. */
  change(tx: Tx, merchantId: string, body: UpdateRampSettings): Promise<void>;
}

export function createTermsAccess({ rates }: Pick<RampDeps, 'rates'>): TermsAccess {
  return {
    read: findTerms,
    change: async (tx, merchantId, body) =>
      saveTerms(tx, merchantId, changedTerms(rates, await findTerms(tx, merchantId), body)),
  };
}
