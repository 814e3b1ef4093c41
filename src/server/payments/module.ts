import * as cryptoSchemas from '../../api/crypto.ts';
import * as historySchemas from '../../api/dashboard/payment-history.ts';
import * as disputeSchemas from '../../api/disputes/dispute.ts';
import * as paymentSchemas from '../../api/payment.ts';
import * as attemptSchemas from '../../api/payments/attempt.ts';
import * as refundSchemas from '../../api/refund.ts';
import * as transferSchemas from '../../api/transfer.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { createGuessCounter } from '../platform/http/access/rate-limit.ts';
import { accountants, everybody, type Scopes } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerAttemptRoute } from './attempts/attempt.routes.ts';
import { createAttemptSweep } from './attempts/attempt-sweep.service.ts';
import { readBanks } from './bank/bank-credit.service.ts';
import { registerCardEventRoute } from './card/card-event.routes.ts';
import { dueEvents } from './card/card-event.store.ts';
import { cardEventSweep, followCardEvents } from './card/card-events.service.ts';
import { registerCardFrameRoutes } from './card/card-frame.routes.ts';
import { registerCheckoutOpenRoutes } from './checkout/checkout-open.routes.ts';
import { registerPageRoutes } from './checkout/checkout-page.routes.ts';
import { fieldNotes, requestExamples } from './checkout/field-notes.ts';
import { clientSecretSchemes, payerGuest } from './checkout/payer.ts';
import { registerPaymentRoutes } from './checkout/payment.routes.ts';
import {
  type AnswerCreation,
  createPaymentResponder,
  registerPaymentCreateRoutes,
} from './checkout/payment-create.routes.ts';
import { createPaymentFeed } from './checkout/payment-feed.ts';
import { createDepositReadings, createDepositSweep } from './crypto/deposit-watch.service.ts';
import { registerWalletTransactionRoutes } from './crypto/wallet-transaction.routes.ts';
import { createWalletSweep } from './crypto/wallet-transaction.service.ts';
import { registerDisputeRoutes } from './disputes/dispute.routes.ts';
import { followDisputes } from './disputes/dispute.service.ts';
import { dueDisputes } from './disputes/dispute.store.ts';
import { disputeEvents } from './disputes/dispute.ts';
import { paymentErasure } from './erasure/payment-erasure.store.ts';
import { paymentAttention } from './listing/payment-attention.ts';
import { registerPaymentExportRoute } from './listing/payment-export.routes.ts';
import { registerPaymentHistoryRoute } from './listing/payment-history.routes.ts';
import { paymentSearch } from './listing/payment-search.ts';
import { manualPayments, openPayments, resumeSettlements } from './payment.store.ts';
import type { PaymentRouteDeps } from './payment-deps.ts';
import { expirePayments } from './payment-lifecycle.service.ts';
import { paymentEvents } from './payment-sample.ts';
import { registerReceiptPage, registerReceiptRoute } from './receipts/receipt.routes.ts';
import { registerRefundRoutes } from './refunds/refund.routes.ts';
import { createRefundPurpose, refundApprovals } from './refunds/refund-booking.service.ts';
import { registerRefundPage } from './refunds/refund-page.routes.ts';
import { createFiatSettlements, type FiatSettlements } from './settling/fiat-settlement.service.ts';
import { makePaymentsAvailable } from './settling/payment-availability.service.ts';
import { registerTransferRoutes } from './transfers/transfer.routes.ts';
import { createReturnPurpose, returnApprovals } from './transfers/transfer-return.service.ts';

interface PaymentServices extends Pick<PaymentRouteDeps, 'readings' | 'chainQuestions'> {
  readonly answerCreation: AnswerCreation;
  readonly onSettlementTerms: typeof resumeSettlements;
  readonly fiatSettlements: FiatSettlements;
}

interface Deps extends PaymentRouteDeps, Pick<PaymentServices, 'answerCreation'> {
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
  /** Which records of other modules a caller may read in a payment's history. */
  readonly scopes: Scopes;
}

/** Maximum number of calls per minute, for one payment, that query the chain about the payer's wallet. */
const chainQuestionsPerMinute = 30;

/** Milliseconds between two readings of a bank's credits, and of the events that an acquirer lists. */
const askMs = 60_000;

/** Payments by card, bank transfer, crypto and mobile money, with refunds and received transfers. */
export const payments = defineModule<
  Deps,
  { outbound: OutboundPurpose; approvals: ApprovalPurpose; services: PaymentServices }
>({
  name: 'payments',
  provides: {
    answerCreation: createPaymentResponder,
    readings: ({ clock }) => createDepositReadings(clock),
    chainQuestions: () => createGuessCounter(chainQuestionsPerMinute),
    onSettlementTerms: () => resumeSettlements,
    fiatSettlements: createFiatSettlements,
  },
  guests: { payer: payerGuest },
  securitySchemes: clientSecretSchemes,
  pageIds: { checkout: (token, secrets) => secrets.openPaymentToken('checkout', token)?.paymentId ?? null },
  tables: [
    ...['payments', 'transitions', 'payment_attempts', 'card_events', 'disputes', 'refunds', 'refund_parts'],
    ...['transfers', 'bank_instructions', 'rail_cursors'],
    ...['deposit_targets', 'deposit_routes', 'crypto_offers', 'chain_cursors', 'deposits', 'wallet_transactions'],
  ],
  schemas: schemasIn(
    paymentSchemas,
    attemptSchemas,
    historySchemas,
    disputeSchemas,
    refundSchemas,
    cryptoSchemas,
    transferSchemas,
  ),
  events: { ...paymentEvents, ...disputeEvents },
  fieldNotes,
  requestExamples,
  scopes: { payments: { read: everybody, write: accountants } },
  attention: paymentAttention,
  search: paymentSearch,
  tags: {
    Payments: 'Payments, from their creation to the received money.',
    Refunds: 'Refunds to the payer, by the method of the payment; for crypto, in the asset that was sent.',
    Disputes: 'Payments by card that the cardholder disputes: evidence, deadline and outcome.',
    Transfers: 'Money that arrived. Match money without a payment, or return it.',
  },
  routes: (app, deps) => {
    registerPaymentCreateRoutes(app, deps, deps.answerCreation);
    const feed = createPaymentFeed(deps);
    registerPaymentRoutes(app, deps, feed);
    registerPaymentExportRoute(app, deps);
    registerPaymentHistoryRoute(app, deps);
    registerCheckoutOpenRoutes(app, deps, feed);
    registerAttemptRoute(app, deps);
    registerCardEventRoute(app, deps);
    registerReceiptRoute(app, deps);
    registerRefundRoutes(app, deps);
    registerDisputeRoutes(app, deps);
    registerTransferRoutes(app, deps);
    registerWalletTransactionRoutes(app, deps);
  },
  pages: async (app, deps) => {
    registerPageRoutes(app, deps);
    registerReceiptPage(app, deps);
    await registerRefundPage(app, deps);
    if (deps.rails.cards.length > 0) registerCardFrameRoutes(app, deps);
  },
  sweeps: deps => [
    { name: 'payments.expire', due: [openPayments], run: () => expirePayments(deps) },
    createAttemptSweep(deps),
    { name: cardEventSweep, due: [dueEvents], everyMs: askMs, run: () => followCardEvents(deps) },
    { name: 'payments.disputes', due: [dueDisputes], run: () => followDisputes(deps) },
    { name: 'payments.make_available', due: [manualPayments], run: () => makePaymentsAvailable(deps) },
    // The sandbox's helpers read the bank themselves.
    { name: 'payments.credits', everyMs: askMs, run: () => readBanks(deps) },
    ...(deps.crypto.length === 0 ? [] : [createDepositSweep(deps), createWalletSweep(deps)]),
  ],
  outbound: deps => [createRefundPurpose(deps), createReturnPurpose(deps)],
  erasures: () => [paymentErasure],
  approvals: deps => [refundApprovals(deps), returnApprovals(deps)],
  gauges: ({ readings }) => [
    {
      name: 'pay_deposits_unread_seconds',
      help: 'Seconds since all payments on the chain were last read.',
      label: 'chain',
      read: readings.ages,
    },
  ],
  remarks: ({ readings }) => readings.remarks(),
});
