import { decideCharge, findChargeOfChallenge } from './card-acquirer.store.ts';
import type { SandboxDb } from './sandbox-tables.ts';

/** What a payer can answer on the 3-D Secure page. */
export const challengeChoices = ['approve', 'decline', 'close'] as const;
export type ChallengeChoice = (typeof challengeChoices)[number];

/** What the 3-D Secure page shows. `amount` is in minor units. */
export interface CardChallenge {
  readonly state: 'open' | 'approved' | 'declined' | 'closed' | 'canceled';
  readonly payee: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly brand: string;
  readonly last4: string;
  readonly returnUrl: string;
}

/** The part of the acquirer that plays the payer's bank in 3-D Secure. */
export interface CardChallenges {
  /** What is asked under this token, or null when nothing ever was. */
  findChallenge(token: string): Promise<CardChallenge | null>;
  /** Answers the challenge. The first answer counts, every later one changes nothing; returns what holds now. */
  answerChallenge(token: string, choice: ChallengeChoice): Promise<CardChallenge | null>;
}

const decisions = {
  approve: { state: 'captured', code: null },
  decline: { state: 'declined', code: 'authentication_failed' },
  close: { state: 'closed', code: null },
} as const;

const states = {
  requires_action: 'open',
  captured: 'approved',
  declined: 'declined',
  closed: 'closed',
  canceled: 'canceled',
} as const;

/** The challenges of the acquirer whose charges are in the database. */
export function createCardChallenges(db: SandboxDb): CardChallenges {
  const findChallenge = async (token: string): Promise<CardChallenge | null> => {
    const row = await findChargeOfChallenge(db, token);
    return (
      row && {
        state: states[row.state],
        payee: row.payee,
        amount: row.amount,
        currency: row.currency,
        brand: row.brand,
        last4: row.last4,
        returnUrl: row.return_url,
      }
    );
  };
  return {
    findChallenge,
    answerChallenge: async (token, choice) => {
      await decideCharge(db, { challenge: token }, decisions[choice]);
      return await findChallenge(token);
    },
  };
}
