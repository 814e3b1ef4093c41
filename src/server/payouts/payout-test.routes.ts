import { Type } from 'typebox';
import { Payout } from '../../api/payout.ts';
import type { PayError } from '../../core/error.ts';
import type { Outbound } from '../outbound/outbound.service.ts';
import { endOutbound, findOutbound } from '../outbound/outbound.store.ts';
import type { OutboundEnd } from '../outbound/outbound.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { type PayoutRouteDeps, readPayout } from './payout.routes.ts';
import { lockPayouts } from './payout.store.ts';
import { inFlight } from './payout.ts';
import { payoutToWire } from './payout.view.ts';
import { payoutPurpose } from './sending/payout-queue.service.ts';
import { bookReturn } from './sending/payout-return.service.ts';
import type { PayoutRow } from './tables.ts';

interface PayoutTestDeps extends PayoutRouteDeps {
  readonly outbound: Outbound;
}

const endings = {
  complete: { state: 'completed', reference: 'test_helper' },
  fail: { state: 'failed', code: 'account_closed', message: 'The account is closed.' },
} as const satisfies Record<string, OutboundEnd>;

/** Routes that complete, fail or return a payout in place of its rail. They exist in test mode only. */
export function registerPayoutTestRoutes(app: HttpApp, deps: PayoutTestDeps): void {
  for (const action of ['complete', 'fail', 'return'] as const) {
    app.post(
      `/v1/test_helpers/payouts/:id/${action}`,
      {
        schema: {
          params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
          response: { 200: Payout },
          tags: ['Test helpers'],
          summary: summaries[action],
        },
        config: { access: 'test', scope: 'test_helpers:write' },
      },
      (request, reply) =>
        deps.once(request, reply, async execution => {
          const caller = callerOf(request);
          const before = await readPayout(deps.db, caller, request.params.id);
          if (action !== 'return') await end(deps, before, action, caller.now);
          return await execution.commit(async tx => {
            const [payout = before] = await lockPayouts(tx, caller.merchant.id, [before.id]);
            const after = action === 'return' ? await bookReturn(tx, deps, returnOf(payout), caller.now) : payout;
            return { status: 200, body: payoutToWire(deps, after) };
          });
        }),
    );
  }
}

const summaries = {
  complete: 'Complete a payout that is being sent',
  fail: 'Fail a payout that is being sent',
  return: 'Return the money of a completed payout',
} as const;

/** Ends the transfer of a payout at a bank or mobile-money operator. On Stellar, only the ledger decides. */
async function end(deps: PayoutTestDeps, payout: PayoutRow, action: keyof typeof endings, now: Date): Promise<void> {
  const transfers = await findOutbound(deps.db, payout.merchant_id, payoutPurpose, [payout.id]);
  const transfer = transfers.at(-1);
  if (transfer?.state !== 'sending' || transfer.carrier_id !== null) throw notOnItsWay(payout);
  await endOutbound(deps.db, [{ key: transfer, end: endings[action] }], { now });
  await deps.outbound.bookEnded();
}

function notOnItsWay({ status }: PayoutRow): PayError {
  return inFlight(`The payout is ${status}. Only a payout that a bank or operator is processing can be ended.`);
}

function returnOf(payout: PayoutRow) {
  if (payout.status !== 'completed')
    throw inFlight(`The payout is ${payout.status}. Only a completed payout can be returned.`);
  const { code, message } = endings.fail;
  if (payout.returned_amount > 0n) throw inFlight('A part of the payout came back already. The bank returns the rest.');
  return { payout, amount: payout.paid_amount ?? payout.amount, before: 0n, code, message };
}
