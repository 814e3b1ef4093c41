import { createSandboxBankExchange } from '../../src/sandbox/bank-payouts/bank-exchange.ts';
import { createBankInboxSweep } from '../../src/server/rails/bank-files/answers/answer-inbox.service.ts';
import type { FileRailId } from '../../src/server/rails/bank-files/bank-file.ts';
import { createBankFileSweep } from '../../src/server/rails/bank-files/file-out.service.ts';
import { createBankFileRail } from '../../src/server/rails/bank-files/file-rail.ts';
import { createFileWriters } from '../../src/server/rails/bank-files/file-writers.ts';
import { createTestDatabase } from '../support/database.ts';
import { describePayoutRail } from './payout-rail.ts';

type Destination = Readonly<Record<string, string>>;

const type = 'bank_account';
const accounts: Readonly<Record<FileRailId, Destination>> = {
  sepa: { type, iban: 'DE89370400440532013000' },
  swift: { type, bic: 'NEDSZAJJXXX', account: '62001872440', country: 'ZA' },
  ach: { type, routing: '021000021', account: '000123456789', country: 'US' },
};

const unpayable: Readonly<Record<FileRailId, readonly Destination[]>> = {
  sepa: [
    { type, iban: 'DE89370400440532013001' },
    { type, iban: 'AE070331234567890123456' },
    { type, iban: 'DE89370400440532013000', bic: 'BNPAFRPP' },
    { ...accounts.sepa, type: 'mobile_money' },
    accounts.ach,
  ],
  swift: [{ type, bic: 'NEDS', account: '1', country: 'ZA' }, { type, bic: 'NEDSZAJJ' }, accounts.sepa, accounts.ach],
  ach: [
    { ...accounts.ach, routing: '021000022' },
    { ...accounts.ach, country: 'GB' },
    { type, routing: '021000021' },
  ],
};

const originator = {
  routing: '110000000',
  bankName: 'Sandbox Bank',
  account: '000123456789',
  entryClass: 'PPD' as const,
  companyName: 'Nordlys Supply',
  companyId: '1123456789',
};
const debtor = { name: 'Nordlys Supply', iban: 'LT647044001231465456', bic: 'CBVILT2X' };

for (const rail of ['sepa', 'swift', 'ach'] as const) {
  describePayoutRail(`sandbox ${rail} in files`, async () => {
    const database = await createTestDatabase();
    const { db } = database;
    let now = new Date('2026-11-20T12:00:00Z');
    const clock = { now: () => now };
    const wake = () => undefined;
    const exchange = createSandboxBankExchange({ db, clock });
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const writers = createFileWriters({ debtor, originator });
    const filing = createBankFileSweep({ db, clock, wake, exchange, writers, pauseSeconds: 0, mostPayments: 25 });
    const inbox = createBankInboxSweep({ db, clock, log, exchange });
    const open = () => createBankFileRail({ db, clock, rail, livemode: false, wake });
    const to = (account_holder: string) => ({ ...accounts[rail], account_holder });
    const runAll = async () => {
      while ((await filing.run()) + (await inbox.run()) > 0);
    };
    return {
      rail: open(),
      reopened: open(),
      currency: 'USD',
      payable: to('Ada Lovelace'),
      failing: {
        account_closed: to('Closed Account'),
        account_frozen: to('Frozen Account'),
        insufficient_funds: to('No Money'),
        invalid_bank_code: to('Unknown Bank'),
        ...(rail !== 'ach' && { name_mismatch: to('Wrong Name'), compliance_rejected: to('Sanctioned Person') }),
      },
      returning: { destination: to('Returned Later'), code: 'account_closed' },
      unpayable: unpayable[rail],
      pass: async seconds => {
        await runAll();
        now = new Date(now.getTime() + seconds * 1000);
        await runAll();
      },
      close: () => database.drop(),
    };
  });
}
