import { createHash } from 'node:crypto';
import { epcPayload } from '../core/bank/epc-qr.ts';
import { computeCheckDigits, formatIban } from '../core/bank/iban.ts';
import { formatUnits } from '../core/money.ts';
import type { BankRail, InstructionRow } from '../server/rails/rail.ts';

/** The rails the sandbox bank has. */
export const sandboxBankRails = ['sepa', 'ach'] as const;
export type SandboxBankRail = (typeof sandboxBankRails)[number];

/** What differs between the rails: the currency, how long money takes, and what a payer is told to type. */
export interface BankAccounts extends Pick<BankRail, 'currency' | 'settlementDays' | 'instructions'> {}

type Instructions = BankRail['instructions'];

/**
 * A bank code that Lithuania has not given to any bank, and a BIC whose eighth character says "test" (ISO 9362), so
 * that nobody's money can ever reach a sandbox account.
 */
const sandboxBankCode = '99900';
const sandboxBic = 'SBOXLT20';
/** Well known as a routing number for tests; no bank has it. */
const sandboxRoutingNumber = '110000000';

const sepaInstructions: Instructions = ({ merchantId, payee, reference, amount }) => {
  const iban = virtualIban(merchantId);
  const payload = epcPayload({ bic: sandboxBic, name: payee, iban, amount, text: reference });
  return {
    rows: [
      row('account_holder', 'Account holder', payee),
      row('iban', 'IBAN', formatIban(iban)),
      row('bic', 'BIC', sandboxBic),
      row('reference', 'Reference', reference),
      row('amount', 'Amount in EUR', formatUnits(amount, 2)),
    ],
    qr: payload === null ? null : { format: 'epc', payload },
  };
};

const achInstructions: Instructions = ({ merchantId, payee, reference, amount }) => ({
  rows: [
    row('account_holder', 'Account holder', payee),
    row('routing_number', 'Routing number', sandboxRoutingNumber),
    row('account_number', 'Account number', accountDigits('ach', merchantId, 12)),
    { ...row('account_type', 'Account type', 'Checking'), copyable: false },
    row('reference', 'Reference', reference),
    row('amount', 'Amount in USD', formatUnits(amount, 2)),
  ],
  qr: null,
});

/** The accounts of each rail. SEPA money is there at once (SEPA Instant), ACH takes two bank days. */
export const bankAccounts: Readonly<Record<SandboxBankRail, BankAccounts>> = {
  sepa: { currency: 'EUR', settlementDays: 0, instructions: sepaInstructions },
  ach: { currency: 'USD', settlementDays: 2, instructions: achInstructions },
};

function row(name: string, label: string, value: string): InstructionRow {
  return { name, label, value, copyable: true };
}

/** The merchant's own IBAN: Lithuania, bank code of five digits, account of eleven (IBAN Registry). */
function virtualIban(merchantId: string): string {
  const bban = sandboxBankCode + accountDigits('sepa', merchantId, 11);
  return `LT${computeCheckDigits('LT', bban)}${bban}`;
}

/** The merchant's account number follows from its id, so there is nothing to keep and it never changes. */
function accountDigits(rail: SandboxBankRail, merchantId: string, count: number): string {
  const digest = createHash('sha256').update(`${rail}:${merchantId}`).digest();
  return (digest.readBigUInt64BE() % 10n ** BigInt(count)).toString().padStart(count, '0');
}
