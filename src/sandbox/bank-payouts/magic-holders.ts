/** How the sandbox bank treats a payment. */
export interface BankBehavior {
  /** The codes of the refusal in ISO 20022 and NACHA. Null: the bank executes the payment. */
  readonly refusal: { readonly iso: string; readonly nacha: string } | null;
  /** Seconds until the payment completes. */
  readonly seconds: number;
  /** Whether the money is returned two seconds after the payment, because the account was closed. */
  readonly returns: boolean;
}

const usual: BankBehavior = { refusal: null, seconds: 0, returns: false };
const refused = (iso: string, nacha: string): BankBehavior => ({ ...usual, refusal: { iso, nacha } });

/**
 * Behaviors by account holder; upper and lower case are equal. The sandbox bank pays all other account holders at once.
 *
 * | `account_holder` | SEPA, SWIFT | ACH |
 * |---|---|---|
 * | Closed Account | fails: `account_closed` | the same |
 * | Wrong Account | fails: `invalid_account_number` | the same |
 * | Frozen Account | fails: `account_frozen` | the same |
 * | Unknown Bank | fails: `invalid_bank_code` | the same |
 * | No Money | fails: `insufficient_funds` | the same |
 * | Refused Payment | fails: `recipient_not_allowed` | the same |
 * | Wrong Name | fails: `name_mismatch` | fails: `invalid_account_number`, because ACH has no code for a wrong name |
 * | Account Limit | fails: `account_limit_reached` | fails: `recipient_not_allowed` |
 * | Sanctioned Person | fails: `compliance_rejected` | fails: `recipient_not_allowed` |
 * | Slow Bank | completed after 10 seconds | the same |
 * | Returned Later | completed, and returned after 2 seconds: `account_closed` | the same |
 */
const holders: Readonly<Record<string, BankBehavior>> = {
  'closed account': refused('AC04', 'R02'),
  'wrong account': refused('AC01', 'R04'),
  'frozen account': refused('AC06', 'R16'),
  'unknown bank': refused('RC01', 'R13'),
  'no money': refused('AM04', 'R01'),
  'refused payment': refused('AG01', 'R23'),
  'wrong name': refused('BE01', 'R03'),
  'account limit': refused('AM14', 'R23'),
  'sanctioned person': refused('RR04', 'R23'),
  'slow bank': { ...usual, seconds: 10 },
  'returned later': { ...usual, returns: true },
};

/** How the sandbox bank treats payments to the account holder. */
export function behaviorOf(holder: string): BankBehavior {
  const name = holder.trim().toLowerCase();
  return (Object.hasOwn(holders, name) ? holders[name] : undefined) ?? usual;
}
