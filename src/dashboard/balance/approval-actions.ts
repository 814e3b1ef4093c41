import type { Approval, PayClient } from '../../api/client.ts';
import type { Action } from '../controls/action-dialog.ts';
import type { Effect } from '../controls/dialog.ts';

/** What a person decides about. `facts`: what was asked, by whom and when. */
interface Asked {
  readonly id: string;
  readonly kind: Approval['kind'];
  readonly facts: readonly Effect[];
}

/** The input of a decision. `done` gets the words of the toast. */
interface Acting {
  readonly client: PayClient;
  readonly asked: Asked;
  readonly done: (sentence: string) => void;
}

/** The words for changes of the account, which move no money themselves. */
const changed: Partial<Readonly<Record<Approval['kind'], readonly [what: string, next: string]>>> = {
  approval_limit: ['The limit', 'The new limit'],
  settlement_destination: ['The destination', 'The new destination'],
};

/** Whether the approval changes the account. Such an approval needs the right to manage it. */
export const changesAccount = (kind: Approval['kind']): boolean => changed[kind] !== undefined;

/** Approves what another person asked for. */
export function approveAction({ client, asked, done }: Acting): Action {
  const [, next] = changed[asked.kind] ?? [];
  return {
    heading: 'Approve',
    effects: () => [
      ...asked.facts,
      { what: 'After the approval', result: next ? `${next} applies at once` : 'The money is sent' },
    ],
    ...(next === undefined && { note: 'Money that was sent cannot be called back. The rate may have changed since.' }),
    button: () => 'Approve',
    run: async (_, idempotencyKey) => {
      await client.approvals.approve(asked.id, { idempotencyKey });
      done(next ? `${next} applies` : 'Approved');
    },
  };
}

/** Cancels what waits for an approval. Also the person that asked may do this. */
export function cancelApprovalAction({ client, asked, done }: Acting): Action {
  const [what] = changed[asked.kind] ?? [];
  const heading = what ? 'Withdraw the change' : 'Cancel';
  return {
    heading,
    isDangerous: true,
    effects: () => [
      ...asked.facts,
      what ? { what, result: 'Stays as it is' } : { what: 'The money', result: 'Is not sent, and is available again' },
    ],
    button: () => (what ? heading : 'Cancel it'),
    run: async (_, idempotencyKey) => {
      await client.approvals.cancel(asked.id, { idempotencyKey });
      done(what ? 'The change is withdrawn' : 'Canceled');
    },
  };
}
