/** The service's own codes of failed payouts, and their messages. */
const messages = {
  invalid_account_number: 'The account number does not exist at the bank.',
  invalid_bank_code: 'The bank does not exist or cannot be reached.',
  account_closed: 'The account is closed.',
  account_frozen: 'The account is blocked.',
  account_limit_reached: 'The amount exceeds the limit of the account or the rail.',
  name_mismatch: 'The name or address does not belong to the account.',
  recipient_not_found: 'The bank does not know the recipient.',
  recipient_not_allowed: 'The account cannot take this kind of payment, or the recipient refused it.',
  insufficient_funds: 'The paying account does not hold enough money.',
  compliance_rejected: 'The bank refused the payment for legal or regulatory reasons.',
  expired: 'The bank did not execute the payment in time.',
  provider_error: 'The bank could not execute the payment.',
} as const satisfies Readonly<Record<string, string>>;

/** Why a bank did not pay, as the service's own code. */
export type BankFailure = keyof typeof messages;

/**
 * The banks' codes for each of our codes. ISO 20022: external status reason and return reason codes. NACHA: return
 * reason codes (Operating Rules, appendix four).
 */
const codes: Readonly<Record<BankFailure, string>> = {
  invalid_account_number: 'AC01 AC03 BE23 R03 R04',
  invalid_bank_code: 'RC01 RC04 RC05 RC07 RC11 AGNT CNOR R13 R28 R32 R34',
  account_closed: 'AC04 AC07 MD07 R02 R12 R14 R15',
  account_frozen: 'AC06 R16',
  account_limit_reached: 'AM02 AM13 AM14 AM21',
  name_mismatch: 'BE01 BE04 BE22',
  recipient_not_found: 'BE06 R22',
  recipient_not_allowed: 'AC14 AG01 AG03 AG10 AG11 MD06 CUST R20 R23 R29',
  insufficient_funds: 'AM04 R01 R09',
  compliance_rejected: 'RR01 RR02 RR03 RR04 RR05 LEGL FRAD FR01',
  expired: 'AB03 AB04 AB05 AB06 TM01',
  provider_error: '',
};

const failures: ReadonlyMap<string, BankFailure> = new Map(
  (Object.entries(codes) as [BankFailure, string][]).flatMap(([failure, list]) =>
    list.split(' ').map((code): [string, BankFailure] => [code, failure]),
  ),
);

/** Maximum characters of a message. ISO 20022 allows 105 in each of a bank's texts, and banks write several. */
const longest = 2_000;

/** Our code for a bank's code, and a message with the bank's code and text. Unknown codes become `provider_error`. */
export function bankFailureOf(code: string | null, text: string | null): { code: BankFailure; message: string } {
  const failure = failures.get(code ?? '') ?? 'provider_error';
  const words = [code, text]
    .filter(part => part !== null && part !== '')
    .join(': ')
    .replaceAll('\0', '');
  return {
    code: failure,
    message: words === '' ? messages[failure] : `${messages[failure]} (${words})`.slice(0, longest),
  };
}
