import { createHash, randomBytes } from 'node:crypto';
import { computeCheckDigits } from '../core/bank/iban.ts';
import { bankRails, type ReceivingRailId, type TransferForm, transferInstructions } from '../core/bank/rails.ts';
import { PayError } from '../core/error.ts';
import { randomText } from '../core/id.ts';
import type { Db } from '../server/platform/db/database.ts';
import { createGroupWriter, type GroupWriter } from '../server/platform/db/group-writer.ts';
import { type BankCredit, type BankRail, feedPage } from '../server/rails/rail.ts';
import { type CreditRow, creditsAfter, findCredit, lockCredits, type NewCredit, storeCredits } from './bank.store.ts';
import { createRefunder, type RefundBook, refundOutcome } from './sandbox-refund.ts';
import { type SandboxDb, sandboxDb } from './sandbox-tables.ts';
import type { RefundBehavior } from './test-cards.ts';

interface SandboxBankDeps {
  readonly db: Db;
  readonly rail: ReceivingRailId;
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
  const { currency, receives } = bankRails[deps.rail];
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
    currency,
    settlementDays: receives.settlementDays,
    newReference: () => receives.referenceOf(randomBytes(12)),
    findReferences: receives.findReferences,
    instructions: ({ merchantId, ...form }) =>
      transferInstructions(deps.rail, { ...form, account: accounts[deps.rail](merchantId) }),
    findCredits: (cursor, limit) => findCredits(db, deps.rail, cursor, limit),
    send: createRefunder(orders),
    sendStatus: (orderId, now) => refundOutcome(orders, orderId, now),
    credit: transfer => credit({ db, credits }, deps.rail, currency, transfer),
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

/**
 * Lithuania has not assigned this bank code, and the eighth character of the BIC marks a test (ISO 9362). A sandbox
 * account can therefore never receive real money.
 */
const sandboxBankCode = '99900';
const sandboxBic = 'SBOXLT20';

/** A common routing number for tests. No bank has it. */
const sandboxRoutingNumber = '110000000';

/** The merchant's account at each rail. It is derived from the merchant's id, so it is constant and not stored. */
const accounts: Readonly<Record<ReceivingRailId, (merchantId: string) => TransferForm['account']>> = {
  sepa: merchantId => ({ iban: virtualIban(merchantId), bic: sandboxBic }),
  ach: merchantId => ({
    routing_number: sandboxRoutingNumber,
    account_number: accountDigits('ach', merchantId, 12),
    account_type: 'Checking',
  }),
};

/** The merchant's IBAN: Lithuania, five digits for the bank, and eleven for the account (IBAN Registry). */
function virtualIban(merchantId: string): string {
  const bban = sandboxBankCode + accountDigits('sepa', merchantId, 11);
  return `LT${computeCheckDigits('LT', bban)}${bban}`;
}

function accountDigits(rail: ReceivingRailId, merchantId: string, count: number): string {
  const digest = createHash('sha256').update(`${rail}:${merchantId}`).digest();
  return (digest.readBigUInt64BE() % 10n ** BigInt(count)).toString().padStart(count, '0');
}
