import * as payoutSchemas from '../../api/payout.ts';
import * as recipientSchemas from '../../api/recipient.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { attentionIn } from '../platform/db/attention.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import { type Merchant, merchantNow } from '../platform/merchant.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerBatchRoutes } from './batches/batch.routes.ts';
import { batchApprovals } from './batches/batch.service.ts';
import { createBatchSweep } from './batches/batch-start.service.ts';
import { registerResultRoutes } from './batches/results.routes.ts';
import { fieldNotes, requestExamples } from './field-notes.ts';
import { type BulkDeps, registerBulkRoutes } from './intake/bulk.routes.ts';
import { createOwnedPayouts, type OwnedPayouts } from './owned/owned-payout.service.ts';
import { type PayoutRouteDeps, registerPayoutRoutes } from './payout.routes.ts';
import { findOverduePayouts } from './payout.store.ts';
import { payoutEvents } from './payout.view.ts';
import { payoutErasure } from './payout-erasure.store.ts';
import { registerPayoutExportRoute } from './payout-export.routes.ts';
import { payoutSearch } from './payout-search.ts';
import { registerPayoutTestRoutes } from './payout-test.routes.ts';
import { registerRecipientRoutes } from './recipients/recipient.routes.ts';
import type { RecipientDeps } from './recipients/recipient.service.ts';
import { createPayoutPurpose } from './sending/payout-purpose.ts';
import { createPayoutSweep, type PayoutQueueDeps } from './sending/payout-queue.service.ts';
import { createReturnSweep } from './sending/payout-return.service.ts';

interface Deps
  extends Omit<BulkDeps, 'stellarPayees' | 'ownAccount'>,
    PayoutRouteDeps,
    Omit<RecipientDeps, 'ownAccount'>,
    PayoutQueueDeps {
  readonly money: {
    readonly rail: { readonly account: string; readonly payees: BulkDeps['stellarPayees'] | null };
  };
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
}

/** Payouts to banks, mobile money and wallets, alone or up to 10,000 at once, and their recipients. */
export const payouts = defineModule<
  Deps,
  {
    outbound: OutboundPurpose;
    approvals: ApprovalPurpose;
    services: { ownedPayouts: OwnedPayouts };
  }
>({
  name: 'payouts',
  provides: { ownedPayouts: createOwnedPayouts },
  tables: [
    'recipients',
    'recipient_destinations',
    'payout_batches',
    'payouts',
    'payout_returns',
    'payout_return_cursors',
  ],
  schemas: schemasIn(payoutSchemas, recipientSchemas),
  events: payoutEvents,
  fieldNotes,
  requestExamples,
  scopes: { payouts: { read: everybody, write: accountants }, recipients: { read: everybody, write: accountants } },
  overdue: { payout: findOverduePayouts },
  search: payoutSearch,
  erasures: () => [payoutErasure],
  attention: {
    payouts_on_hold: attentionIn('payouts', { status: ['on_hold'] }, '/v1/payouts?status=on_hold'),
    payout_batches_to_approve: attentionIn(
      'payout_batches',
      { status: ['awaiting_approval'] },
      '/v1/payout-batches?status=awaiting_approval',
    ),
  },
  tags: {
    Payouts: 'Send money to people and businesses.',
    Recipients: 'People and businesses that you pay, with their destinations.',
  },
  outbound: deps => [createPayoutPurpose({ ...deps, nowOf: nowOf(deps) })],
  approvals: deps => [batchApprovals(deps)],
  routes: (app, core) => {
    const deps = { ...core, ownAccount: core.money.rail.account };
    registerBulkRoutes(app, { ...deps, stellarPayees: payeesOf(core) });
    registerPayoutRoutes(app, deps);
    registerPayoutExportRoute(app, deps);
    registerBatchRoutes(app, deps);
    registerResultRoutes(app, deps);
    registerRecipientRoutes(app, deps);
  },
  testRoutes: registerPayoutTestRoutes,
  sweeps: deps => [
    createBatchSweep({ ...deps, ownAccount: deps.money.rail.account }),
    createPayoutSweep(deps),
    createReturnSweep({ ...deps, nowOf: nowOf(deps) }),
  ],
});

function payeesOf({ money }: Deps): BulkDeps['stellarPayees'] {
  if (money.rail.payees === null) throw new Error('the service cannot send on Stellar');
  return money.rail.payees;
}

function nowOf({ findMerchant, clock }: Deps) {
  return async (merchantId: string, livemode: boolean) =>
    merchantNow(await findMerchant(merchantId), livemode, clock.now());
}
