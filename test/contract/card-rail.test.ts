import { createSandboxCardAcquirer } from '../../src/sandbox/card-acquirer.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeCardRail } from './card-rail.ts';

const numbers = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002500003155',
  delayed: '4000000000000077',
  uncapturable: '4000000000000341',
};

describeCardRail('sandbox acquirer', async () => {
  const database = await createTestDatabase();
  const open = () =>
    createSandboxCardAcquirer({ db: database.db, publicUrl: () => 'https://pay.example', delaySeconds: 30 });
  const rail = open();
  const card = { number: numbers.approved, expiryMonth: 11, expiryYear: 2026, cvc: '123', name: 'Ada Lovelace' };
  return {
    rail,
    reopened: open(),
    card,
    delaySeconds: 30,
    token: async kind =>
      (await rail.tokenize({ ...card, number: numbers[kind] }, new Date('2026-11-20T12:00:00Z'))).token,
    answer: async (url, choice) => {
      await rail.answerChallenge(new URL(url).pathname.replace('/sandbox/3ds/', ''), choice);
    },
    close: () => database.drop(),
  };
});
