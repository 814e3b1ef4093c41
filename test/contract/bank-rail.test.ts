import { receivingRails } from '../../src/core/bank/rails.ts';
import { createSandboxBank } from '../../src/sandbox/bank.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeBankRail } from './bank-rail.ts';

for (const rail of receivingRails) {
  describeBankRail(`sandbox ${rail}`, async () => {
    const database = await createTestDatabase();
    const bank = createSandboxBank({ db: database.db, rail });
    return {
      rail: bank,
      account:
        rail === 'sepa'
          ? { iban: 'LT647044001231465456' }
          : { routing_number: '110000000', account_number: '000123456789' },
      reopened: createSandboxBank({ db: database.db, rail }),
      credit: async money => {
        await bank.credit({ ...money, currency: bank.currency, now: new Date('2026-11-20T12:00:00Z') });
      },
      close: () => database.drop(),
    };
  });
}
