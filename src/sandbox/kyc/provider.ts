import { createHmac } from 'node:crypto';
import type { CheckOutcome, KycProvider } from '../../server/kyc/provider.ts';
import type { KycScreen } from '../../server/kyc/screen.ts';
import type { Db } from '../../server/platform/db/database.ts';
import { sandboxDb } from '../sandbox-tables.ts';
import { findCheck, type SandboxCheck, storeCheck } from './check.store.ts';
import { openCallback } from './signed-callback.ts';
import { sanctionedName, testName, verdictOf } from './test-names.ts';

/** The key with which the simulated provider of a service signs its callbacks. */
export function kycCallbackKey(rootSecret: Buffer): Buffer {
  return createHmac('sha256', rootSecret).update('callbacks of the sandbox identity provider').digest();
}

/**
 * The identity provider of test mode. The customer's name decides. The schema `sandbox` stores the verdicts, so all
 * replicas share them, and no personal data.
 */
export function createSandboxKyc({ db: database, key }: { readonly db: Db; readonly key: Buffer }): KycProvider {
  const db = sandboxDb(database);
  return {
    id: 'sandbox',
    livemode: false,
    submit: async ({ subject, attempt, values }) => {
      const { state, fields, reasons } = verdictOf(values);
      const check = await storeCheck(db, { subject, attempt, state, fields: [...fields], reasons: [...reasons] });
      return check === null ? { state: 'unknown' } : outcomeOf(check);
    },
    read: async ({ subject }) => {
      const check = await findCheck(db, subject);
      return check && outcomeOf(check);
    },
    verify: (headers, body, now) => openCallback(key, { headers, body, now }),
  };
}

function outcomeOf({ subject, state, fields, reasons }: SandboxCheck): CheckOutcome {
  return { state, reference: referenceOf(subject), fields, reasons };
}

/** The provider's own id of the customer. */
function referenceOf(subject: string): string {
  return `sbx_check_${createHmac('sha256', 'reference').update(subject).digest('hex').slice(0, 22)}`;
}

/** The simulated list of sanctions. */
export const sandboxSanctions: KycScreen = {
  name: 'sandbox_sanctions',
  screen: async ({ values }) => (testName(values) === sanctionedName ? 'The name is on the list of sanctions.' : null),
};
