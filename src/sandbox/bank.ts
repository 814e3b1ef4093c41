import { createHash, randomBytes } from 'node:crypto';
import { epcPayload } from '../core/bank/epc-qr.ts';
import { computeCheckDigits, formatIban } from '../core/bank/iban.ts';
import { findTransferReferences, transferReferenceOf } from '../core/bank/transfer-reference.ts';
import { PayError } from '../core/error.ts';
import { randomText } from '../core/id.ts';
import { formatUnits } from '../core/money.ts';
import type { Db } from '../server/platform/db/database.ts';
import { createGroupWriter, type GroupWriter } from '../server/platform/db/group-writer.ts';
import { type BankCredit, type BankRail, feedPage, type InstructionRow } from '../server/rails/rail.ts';
import { type CreditRow, creditsAfter, findCredit, lockCredits, type NewCredit, storeCredits } from './bank.store.ts';
import { createRefunder, type RefundBook, refundOutcome } from './sandbox-refund.ts';
import { type SandboxDb, sandboxDb } from './sandbox-tables.ts';
import type { RefundBehavior } from './test-cards.ts';

interface SandboxBankDeps {
  readonly db: Db;
  readonly rail: SandboxBankRail;
  /** Seconds until a refund or payment to `Slow Bank` completes. Default: 10. */
  readonly delaySeconds?: number;
}

/** A transfer to a merchant's account at the sandbox bank. */
interface IncomingTransfer {
  readonly merchantId: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The remittance text of the sender. */
  readonly reference: string | null;
  readonly sender: string | null;
  /** The bank's id of the entry. Null: the bank creates a new id. Repeating the transfer with its id has no effect. */
  readonly bankReference: string | null;
  readonly now: Date;
}

/** A bank rail that can also receive simulated transfers. */
export interface SandboxBank extends BankRail {
  /**
   * Credits the merchant's account. Throws `invalid_amount` for an amount below 1. Throws `parameter_invalid` for a
   * currency other than the rail's, for a NUL character, and for the bank reference of a different transfer.
   */
  credit(transfer: IncomingTransfer): Promise<BankCredit>;
}

/** Account holders, in lower case, to whom refunds and payments fail or are slow. */
const holders: Readonly<Record<string, RefundBehavior>> = { 'closed account': 'refused', 'slow bank': 'pending' };

const defaultDelaySeconds = 10;

/**
 * Creates a bank rail for test mode. Every merchant has an account. Transfers are listed in the order of booking. A
 * refund or payment completes at once, later (`Slow Bank`) or never (`Closed Account`).
 */
export function createSandboxBank(deps: SandboxBankDeps): SandboxBank {
  const db = sandboxDb(deps.db);
  const account = bankAccounts[deps.rail];
  const orders = orderBook(db, deps);
  const credits = createGroupWriter<NewCredit, CreditRow | undefined>({
    maxBatch: 100,
    maxParallel: 1,
    keyOf: ({ merchant_id: merchantId, bank_reference: reference }) => `${merchantId} ${reference}`,
    write: batch => storeCredits(db, deps.rail, batch),
  });
  return {
    id: deps.rail,
    livemode: false,
    currency: account.currency,
    settlementDays: account.settlementDays,
    newReference: () => transferReferenceOf(randomBytes(12)),
    findReferences: findTransferReferences,
    instructions: account.instructions,
    findCredits: (cursor, limit) => findCredits(db, deps.rail, cursor, limit),
    send: createRefunder(orders),
    sendStatus: (orderId, now) => refundOutcome(orders, orderId, now),
    credit: transfer => credit({ db, credits }, deps.rail, account.currency, transfer),
  };
}

async function findCredits(db: SandboxDb, rail: string, cursor: string | null, limit: number) {
  const rows = await creditsAfter(db, rail, feedPage(cursor, limit));
  return { credits: rows.map(creditOf), cursor: rows.at(-1)?.position.toString() ?? cursor };
}

function creditOf(row: CreditRow): BankCredit {
  return {
    railReference: row.bank_reference,
    merchantId: row.merchant_id,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    sender: row.sender,
  };
}

interface CreditBook {
  readonly db: SandboxDb;
  /** Stores credits. Concurrent credits share one commit. */
  readonly credits: GroupWriter<NewCredit, CreditRow | undefined>;
}

async function credit(
  { db, credits }: CreditBook,
  rail: string,
  currency: string,
  transfer: IncomingTransfer,
): Promise<BankCredit> {
  refuseUnbookable(currency, transfer);
  const row = {
    rail,
    merchant_id: transfer.merchantId,
    bank_reference: transfer.bankReference ?? `SBX${randomText(22)}`,
    amount: transfer.amount,
    currency,
    reference: transfer.reference,
    sender: transfer.sender,
    created_at: transfer.now,
  };
  // Undefined: another process has just stored the credit. Only a new query can see it.
  const booked = (await credits.write(row)) ?? (await findCredit(db, row));
  if (booked === null) throw new Error('a credit that was just stored does not exist');
  if (booked.amount !== row.amount || booked.reference !== row.reference || booked.sender !== row.sender) {
    throw new PayError('parameter_invalid', 'The bank has another transfer under this bank reference.', {
      param: 'bank_reference',
    });
  }
  return creditOf(booked);
}

function refuseUnbookable(currency: string, transfer: IncomingTransfer): void {
  if (transfer.currency !== currency) {
    throw new PayError('parameter_invalid', `This bank account accepts ${currency} only.`, { param: 'currency' });
  }
  if (transfer.amount <= 0n) {
    throw new PayError('invalid_amount', 'The amount must be at least one unit.', { param: 'amount' });
  }
  const texts = { reference: transfer.reference, sender_name: transfer.sender, bank_reference: transfer.bankReference };
  for (const [param, text] of Object.entries(texts)) {
    if (text?.includes('\0'))
      throw new PayError('parameter_invalid', 'Texts of bank transfers cannot contain a NUL character.', { param });
  }
}

/** A refund returns a credit to its sender. Any other order pays `destination`; its `name` is the account holder. */
function orderBook(db: SandboxDb, deps: SandboxBankDeps): RefundBook {
  return {
    db,
    rail: deps.rail,
    delaySeconds: deps.delaySeconds ?? defaultDelaySeconds,
    behaviorOf: ({ destination }) => behaviorOf(destination?.['name'] ?? null),
    lockOriginals: async (tx, orders) => {
      const found = await lockCredits(tx, deps.rail, orders);
      return new Map(
        [...found].map(([id, { amount, currency, sender }]) => [
          id,
          { amount, currency, isCaptured: true, behavior: behaviorOf(sender), failure: 'account_closed' },
        ]),
      );
    },
  };
}

function behaviorOf(holder: string | null): RefundBehavior {
  const name = holder?.trim().toLowerCase() ?? '';
  return (Object.hasOwn(holders, name) ? holders[name] : undefined) ?? 'completed';
}

export const sandboxBankRails = ['sepa', 'ach'] as const;
type SandboxBankRail = (typeof sandboxBankRails)[number];

/** The properties that differ between the rails. */
interface BankAccounts extends Pick<BankRail, 'currency' | 'settlementDays' | 'instructions'> {}

type Instructions = BankRail['instructions'];

/**
 * Lithuania has not assigned this bank code, and the eighth character of the BIC marks a test (ISO 9362). A sandbox
 * account can therefore never receive real money.
 */
const sandboxBankCode = '99900';
const sandboxBic = 'SBOXLT20';

/** A common routing number for tests. No bank has it. */
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
      ...amountRow('EUR', amount),
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
    ...amountRow('USD', amount),
  ],
  qr: null,
});

/** A SEPA transfer is expected on the same day (SEPA Instant), an ACH transfer after two bank days. */
const bankAccounts: Readonly<Record<SandboxBankRail, BankAccounts>> = {
  sepa: { currency: 'EUR', settlementDays: 0, instructions: sepaInstructions },
  ach: { currency: 'USD', settlementDays: 2, instructions: achInstructions },
};

function row(name: string, label: string, value: string): InstructionRow {
  return { name, label, value, copyable: true };
}

function amountRow(currency: string, amount: bigint | null): InstructionRow[] {
  return amount === null ? [] : [row('amount', `Amount in ${currency}`, formatUnits(amount, 2))];
}

/** The merchant's IBAN: Lithuania, five digits for the bank, and eleven for the account (IBAN Registry). */
function virtualIban(merchantId: string): string {
  const bban = sandboxBankCode + accountDigits('sepa', merchantId, 11);
  return `LT${computeCheckDigits('LT', bban)}${bban}`;
}

/** The merchant's account number. It is derived from the merchant's id, so it is constant and not stored. */
function accountDigits(rail: SandboxBankRail, merchantId: string, count: number): string {
  const digest = createHash('sha256').update(`${rail}:${merchantId}`).digest();
  return (digest.readBigUInt64BE() % 10n ** BigInt(count)).toString().padStart(count, '0');
}
