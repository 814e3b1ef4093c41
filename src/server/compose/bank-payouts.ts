import type { Clock } from '../../core/clock.ts';
import { sandboxPayingIban } from '../../sandbox/bank-payouts/bank-answers.ts';
import { createSandboxBankExchange } from '../../sandbox/bank-payouts/bank-exchange.ts';
import type { Db } from '../platform/db/database.ts';
import { createBankFileRail } from '../rails/bank-files/file-rail.ts';
import { createFileWriters, type PayingAccounts } from '../rails/bank-files/file-writers.ts';
import { createFolderExchange } from '../rails/bank-files/folder-exchange.ts';
import type { BankConfig } from '../settings/bank-settings.ts';

interface BankPayoutDeps {
  readonly config: BankConfig;
  readonly livemode: boolean;
  readonly db: Db;
  readonly clock: Clock;
  readonly wake: (sweep: string) => void;
}

/** Test accounts: no real bank has this IBAN bank code or this routing number. */
const sandboxAccounts: PayingAccounts = {
  debtor: { name: 'Pay Checkout Sandbox', iban: sandboxPayingIban, bic: 'SBOXLT20' },
  originator: {
    routing: '110000000',
    bankName: 'Sandbox Bank',
    account: '000123456789',
    companyId: '1000000000',
    companyName: 'Pay Checkout',
    entryClass: 'PPD' as const,
  },
};

/**
 * Creates the bank rails. Live mode has the configured rails. Test mode has all rails, with the sandbox bank. `files`
 * is null if no bank is connected.
 */
export function createBankPayouts({ config, livemode, ...deps }: BankPayoutDeps) {
  const parts = livemode ? liveParts(config, deps.clock) : sandboxParts(deps);
  const rails = parts === null ? [] : parts.writers.map(({ rail }) => createBankFileRail({ ...deps, rail, livemode }));
  return { rails, files: parts };
}

function sandboxParts(deps: Pick<BankPayoutDeps, 'db' | 'clock'>) {
  const exchange = createSandboxBankExchange(deps);
  return { exchange, writers: createFileWriters(sandboxAccounts), pauseSeconds: 0, mostPayments: 5_000 };
}

function liveParts(config: BankConfig, clock: Clock) {
  const writers = createFileWriters(accountsOf(config));
  if (config.bankExchange === null || writers.length === 0) return null;
  const exchange = createFolderExchange(config.bankExchange, clock);
  return { exchange, writers, pauseSeconds: config.bankFilePause, mostPayments: config.bankFilePayments };
}

function accountsOf(config: BankConfig): PayingAccounts {
  const { bankName, bankIban, bankBic } = config;
  const { achRouting, achBankName, achAccount, achCompanyName, achCompanyId, achEntryClass } = config;
  const isComplete = bankName !== null && bankIban !== null && bankBic !== null;
  const debtor = isComplete ? { name: bankName, iban: bankIban, bic: bankBic } : null;
  if (achRouting === null || achBankName === null || achAccount === null) return { debtor, originator: null };
  if (achCompanyName === null || achCompanyId === null) return { debtor, originator: null };
  const company = { companyName: achCompanyName, companyId: achCompanyId, entryClass: achEntryClass };
  return { debtor, originator: { ...company, routing: achRouting, bankName: achBankName, account: achAccount } };
}
