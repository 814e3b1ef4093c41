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

/** Approves what another person asked for. */
export function approveAction({ client, asked, done }: Acting): Action {
  const isLimit = asked.kind === 'approval_limit';
  return {
    heading: 'Approve',
    effects: () => [
      ...asked.facts,
      { what: 'After the approval', result: isLimit ? 'The new limit applies at once' : 'The money is sent' },
    ],
    ...(!isLimit && { note: 'Money that was sent cannot be called back. The rate may have changed since.' }),
    button: () => 'Approve',
    run: async (_, idempotencyKey) => {
      await client.approvals.approve(asked.id, { idempotencyKey });
      done(isLimit ? 'The new limit applies' : 'Approved');
    },
  };
}

/** Cancels what waits for an approval. Also the person that asked may do this. */
export function cancelApprovalAction({ client, asked, done }: Acting): Action {
  const isLimit = asked.kind === 'approval_limit';
  const heading = isLimit ? 'Withdraw the change' : 'Cancel';
  return {
    heading,
    isDangerous: true,
    effects: () => [
      ...asked.facts,
      isLimit
        ? { what: 'The limit', result: 'Stays as it is' }
        : { what: 'The money', result: 'Is not sent, and is available again' },
    ],
    button: () => (isLimit ? heading : 'Cancel it'),
    run: async (_, idempotencyKey) => {
      await client.approvals.cancel(asked.id, { idempotencyKey });
      done(isLimit ? 'The change is withdrawn' : 'Canceled');
    },
  };
}
