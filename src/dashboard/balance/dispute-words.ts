import type { Dispute } from '../../api/client.ts';
import { merchantClock } from '../app/session.ts';
import { type StateTable, sentenceCase } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';

/** Words and tones of the states and outcomes of a dispute. */
export const disputeStates: StateTable = {
  needs_response: ['To answer', 'warn'],
  under_review: ['At the bank', 'busy'],
  won: ['Won', 'good'],
  lost: ['Lost', 'bad'],
  accepted: ['Accepted', 'plain'],
};

/** The state to show: the outcome of a closed dispute, otherwise its status. */
export const stateOf = ({ status, outcome }: Dispute): string => outcome ?? status;

const passed = 'deadline passed';
const dayMs = 86_400_000;

/** The remaining time: `3 days left`, `5 h left` or `deadline passed`. Null if no answer is expected any more. */
export function timeLeft({ status, evidence_due_at: until }: Dispute): string | null {
  if (status !== 'needs_response') return null;
  const left = Date.parse(until) - merchantClock.now().getTime();
  if (left <= 0) return passed;
  if (left < dayMs) return `${Math.max(1, Math.floor(left / 3_600_000))} h left`;
  const days = Math.floor(left / dayMs);
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}

/** The remaining time with the deadline: `3 days left, until Nov 28, 02:02 PM`. Null if no answer is expected. */
export function deadlineWords(dispute: Dispute): string | null {
  const left = timeLeft(dispute);
  if (left === null) return null;
  return left === passed ? sentenceCase(passed) : `${left}, until ${timeWords(dispute.evidence_due_at)}`;
}

/** Whether the service still takes an answer. */
export const mayAnswer = (dispute: Dispute): boolean => {
  const left = timeLeft(dispute);
  return left !== null && left !== passed;
};

export const reasonWords = ({ reason }: Dispute): string => sentenceCase(reason);
