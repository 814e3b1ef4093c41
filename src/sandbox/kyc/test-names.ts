import type { CheckOutcome, KycValues } from '../../server/kyc/provider.ts';

/** What the simulated provider decides. */
export interface SandboxVerdict {
  readonly state: Exclude<CheckOutcome['state'], 'unknown'>;
  readonly fields: readonly string[];
  readonly reasons: readonly string[];
}

const approval: SandboxVerdict = { state: 'approved', fields: [], reasons: [] };

/** Verdicts by the last name of a person, or the name of an organization. All other names are approved. */
const verdicts: Readonly<Record<string, SandboxVerdict>> = {
  moreinfo: {
    state: 'more_needed',
    fields: ['id_number', 'id_expiration_date'],
    reasons: ['The identity document has expired.'],
  },
  rejected: { state: 'rejected', fields: [], reasons: ['The identity document is not genuine.'] },
  silent: { state: 'pending', fields: [], reasons: [] },
};

/** The name that the simulated list of sanctions contains. */
export const sanctionedName = 'sanctioned';

/** The magic part of a customer's name, in small letters. */
export function testName(values: KycValues): string {
  return (values['last_name'] ?? values['organization.name'] ?? '').toLowerCase();
}

/** The verdict about a customer with these values. Only people have identity documents to ask for. */
export function verdictOf(values: KycValues): SandboxVerdict {
  const verdict = verdicts[testName(values)] ?? approval;
  const isPerson = values['last_name'] !== undefined;
  return isPerson || verdict.fields.length === 0
    ? verdict
    : { ...verdict, fields: ['organization.registration_number'] };
}
