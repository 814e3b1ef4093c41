import type { DisputeOutcome } from '../api/disputes/dispute.ts';
import { addSeconds } from '../core/clock.ts';
import { PayError } from '../core/error.ts';
import { randomText } from '../core/id.ts';
import type { CardRail } from '../server/rails/card-rail.ts';
import {
  type AcquirerTables,
  answerDispute,
  type DisputeRow,
  decideCharge,
  findChargeOfChallenge,
  findDispute,
  keepDispute,
  lockCharge,
} from './card-acquirer.store.ts';
import type { SandboxDb } from './sandbox-tables.ts';

export const challengeChoices = ['approve', 'decline', 'close'] as const;
export type ChallengeChoice = (typeof challengeChoices)[number];

/** The content of the 3-D Secure page. `amount` is in minor units. */
export interface CardChallenge {
  readonly state: 'open' | 'approved' | 'declined' | 'closed' | 'canceled';
  readonly payee: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly brand: string;
  readonly last4: string;
  readonly returnUrl: string;
}

/** The payer's bank during 3-D Secure. */
export interface CardChallenges {
  /** The challenge of a token, or null. */
  findChallenge(token: string): Promise<CardChallenge | null>;
  /**
   * Answers a challenge. Only the first answer counts. Returns the resulting challenge, or null for an unknown token.
   */
  answerChallenge(token: string, choice: ChallengeChoice): Promise<CardChallenge | null>;
}

const decisions = {
  approve: { state: 'approved', code: null },
  decline: { state: 'declined', code: 'authentication_failed' },
  close: { state: 'closed', code: null },
} as const;

const states = {
  requires_action: 'open',
  authorized: 'approved',
  captured: 'approved',
  released: 'approved',
  declined: 'declined',
  closed: 'closed',
  canceled: 'canceled',
} as const;

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
      await decideCharge(db, token, decisions[choice]);
      return await findChallenge(token);
    },
  };
}

/** Seconds in which the merchant may answer a dispute. */
const answerSeconds = 7 * 86_400;
/** Seconds from the evidence until the decision of the cardholder's bank. */
const decisionSeconds = 60;
/** A dispute is lost if its evidence contains this text. */
const losingText = 'losing_evidence';

function outcomeOf(dispute: DisputeRow, now: Date): DisputeOutcome | 'open' {
  const { accepted_at: acceptedAt, submitted_at: submittedAt, evidence, created_at: openedAt } = dispute;
  if (acceptedAt !== null) return 'accepted';
  if (submittedAt === null) return addSeconds(openedAt, answerSeconds) <= now ? 'lost' : 'open';
  if (addSeconds(submittedAt, decisionSeconds) > now) return 'open';
  return evidence?.includes(losingText) ? 'lost' : 'won';
}

/** A cardholder's dispute. `amount` is in minor units, at most the charge's captured amount. */
interface DisputeRequest {
  readonly merchantId: string;
  readonly railReference: string;
  /** Null: the whole charge is disputed. */
  readonly amount: bigint | null;
  readonly reason: string;
  readonly now: Date;
}

export interface OpenedDispute {
  readonly railReference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string;
  /** The end of the time in which the merchant may answer. */
  readonly evidenceDueAt: Date;
}

/** Disputes by cardholders, and the decisions of their bank. */
export interface CardDisputes extends Pick<CardRail, 'submitEvidence' | 'acceptDispute' | 'findDispute'> {
  /**
   * Opens a dispute, once for equal requests. Throws `resource_missing` for an unknown charge, and `parameter_invalid`
   * for an amount above the captured amount. Throws `illegal_state` for a charge that is not captured or has another
   * dispute.
   */
  openDispute(request: DisputeRequest): Promise<OpenedDispute>;
}

export function createCardDisputes({ db, rail }: AcquirerTables): CardDisputes {
  return {
    openDispute: request =>
      db.transaction().execute(async tx => {
        const charge = await lockCharge({ db: tx, rail }, request.merchantId, request.railReference);
        if (charge === null) throw new PayError('resource_missing', 'The card charge does not exist.');
        if (charge.state !== 'captured') throw new PayError('illegal_state', 'This card charge was not captured.');
        const captured = charge.captured_amount ?? charge.amount;
        const amount = request.amount ?? captured;
        if (amount > captured) {
          throw new PayError('parameter_invalid', 'The disputed amount cannot exceed the charged amount.', {
            param: 'amount',
          });
        }
        const { reason, now } = request;
        const id = `sbx_dp_${randomText(22)}`;
        const open = { evidence: null, submitted_at: null, accepted_at: null };
        const asked = { id, charge_id: charge.id, amount, currency: charge.currency, reason, ...open, created_at: now };
        const kept = await keepDispute(tx, charge, asked);
        if (kept.amount !== amount || kept.reason !== reason) {
          throw new PayError('illegal_state', 'This payment is already disputed.');
        }
        const evidenceDueAt = addSeconds(kept.created_at, answerSeconds);
        return { railReference: kept.id, amount, currency: kept.currency, reason, evidenceDueAt };
      }),
    submitEvidence: async ({ dispute, evidence, now }) => {
      await answerDispute(db, dispute, { evidence: JSON.stringify(evidence), submitted_at: now });
    },
    acceptDispute: async ({ dispute, now }) => {
      await answerDispute(db, dispute, { accepted_at: now });
    },
    findDispute: async (id, now) => {
      const dispute = await findDispute({ db, rail }, id);
      if (dispute === null) return null;
      const { charge_id: charge, amount, reason, created_at: openedAt } = dispute;
      const evidenceDueAt = addSeconds(openedAt, answerSeconds);
      return { charge, amount, reason, evidenceDueAt, outcome: outcomeOf(dispute, now) };
    },
  };
}
