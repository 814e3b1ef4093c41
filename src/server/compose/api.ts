import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { registerLetterMailRoutes } from '../invoices/letters/letter-mail.routes.ts';
import { registerRecurringRoutes } from '../invoices/recurring/recurring.routes.ts';
import { registerInvoices } from '../invoices/register-invoices.ts';
import { registerReminderRoutes } from '../invoices/reminders/reminder.routes.ts';
import { registerBalanceRoutes } from '../ledger/balance.routes.ts';
import { registerLinkRoutes } from '../links/link.routes.ts';
import { findSuccessMessage } from '../links/link.store.ts';
import { registerAccountRoutes } from '../merchants/account.routes.ts';
import { registerApiKeyRoutes } from '../merchants/api-key.routes.ts';
import { registerTestClockRoutes } from '../merchants/test-clock.routes.ts';
import { registerPaymentRoutes } from '../payments/checkout/payment.routes.ts';
import { createCreationAnswerer, registerPaymentCreateRoutes } from '../payments/checkout/payment-create.routes.ts';
import { registerPaymentStreamRoutes } from '../payments/checkout/payment-stream.routes.ts';
import { registerWalletTransactionRoutes } from '../payments/crypto/wallet-transaction.routes.ts';
import { resumeSettlements } from '../payments/payment-settlement.store.ts';
import { registerRefundRoutes } from '../payments/refunds/refund.routes.ts';
import { registerTransferRoutes } from '../payments/transfers/transfer.routes.ts';
import { registerEventRoutes } from '../platform/events/event.routes.ts';
import { createRateLimiter, type RateLimiter } from '../platform/http/access/rate-limit.ts';
import type { Sweeper } from '../platform/jobs/sweeper.ts';
import type { Log } from '../platform/logging.ts';
import { registerOutboxRoutes } from '../platform/mail/outbox.routes.ts';
import { registerEndpointRoutes } from '../platform/webhooks/endpoint.routes.ts';
import { registerRateRoutes } from '../rates/rates.routes.ts';
import { registerStellarToml } from '../stellar/stellar-toml.routes.ts';
import { type Core, webhookAddresses } from './core.ts';
import { registerSandbox } from './sandbox.ts';

/** Every call of the API that this server answers. */
export async function registerApi(http: FastifyInstance, core: Core, sweeper: Sweeper): Promise<void> {
  const { database, clock, keys, once, payments, live, secrets, publicUrl, wake } = core;
  const { db } = database;
  const answerCreation = createCreationAnswerer(payments);
  registerPaymentCreateRoutes(http, payments, answerCreation);
  registerLinkRoutes(http, { ...payments, answerCreation, starts: linkStarts(core) });
  registerPaymentRoutes(http, { ...payments, findSuccessMessage: payment => findSuccessMessage(db, payment) });
  registerRefundRoutes(http, payments);
  registerTransferRoutes(http, payments);
  registerWalletTransactionRoutes(http, payments);
  registerPaymentStreamRoutes(http, payments);
  registerInvoices(http, { ...payments, answerCreation });
  registerReminderRoutes(http, payments);
  registerLetterMailRoutes(http, payments);
  registerRecurringRoutes(http, payments);
  registerBalanceRoutes(http, { db, once });
  registerRateRoutes(http, payments);
  const events = { db, clock, secrets, once, live, publicUrl, wake, ...webhookAddresses(core) };
  registerEndpointRoutes(http, events);
  registerEventRoutes(http, events);
  registerAccountRoutes(http, {
    ...{ db, keys, onAddress: resumeSettlements },
    assertAsset: (text, param) => void payments.rates.asset(text, param),
  });
  registerApiKeyRoutes(http, { db, once, keys });
  registerStellarToml(http, {
    passphrase: core.stellar.network.passphrase,
    uriSigningKey: core.stellar.uriSigningKey,
    accounts: [core.stellar.signer.treasury],
  });
  if (core.stellar.livemode) return;
  registerTestClockRoutes(http, { once, clock, keys, afterClockMove: () => catchUp(sweeper, core.log) });
  await registerSandbox(http, core);
  if (core.config.network === 'sandbox') registerOutboxRoutes(http, core.mail.outbox);
}

/** A room full of people behind one address may pay a link at once; then 30 a minute, of each link. Off with the limit of browsers. */
function linkStarts({ config }: Core): RateLimiter {
  return createRateLimiter(config.clientRateLimit === 0 ? 0 : 30 / 60, undefined, 120);
}

/** Longest wait for what a move of the test clock brings about, in milliseconds; the rest goes on afterwards. */
const catchUpMs = 3_000;

async function catchUp(sweeper: Sweeper, log: Log): Promise<void> {
  const done = sweeper.runAll().catch(error => log.error({ err: error }, 'a sweep after a clock move failed'));
  await Promise.race([done, sleep(catchUpMs, undefined, { ref: false })]);
}
