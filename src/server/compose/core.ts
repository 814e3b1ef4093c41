import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import { reportFailedMail } from '../invoices/notifications/invoice-notifications.ts';
import { createMailAttachments } from '../invoices/notifications/mail-attachments.ts';
import { findLinkOwner } from '../links/link.store.ts';
import { createKeyDirectory, type KeyDirectory } from '../merchants/key-directory.ts';
import { findMerchant, findMerchants } from '../merchants/merchant.store.ts';
import { createOutbound } from '../outbound/outbound.service.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { railSendSweep } from '../outbound/rail-send.service.ts';
import { createPaymentResponder } from '../payments/checkout/payment-create.routes.ts';
import { createDepositReadings } from '../payments/crypto/deposit-watch.service.ts';
import { findPaymentMode, resumeSettlements } from '../payments/payment.store.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { createLive } from '../platform/events/live.ts';
import type { EventCatalogue } from '../platform/events/sample.ts';
import type { Payer } from '../platform/http/access/auth.ts';
import { createGuessCounter } from '../platform/http/access/rate-limit.ts';
import { createOnce } from '../platform/http/idempotency/idempotency.ts';
import type { Log } from '../platform/logging.ts';
import { tellOfDisabled } from '../platform/mail/endpoint-mail.ts';
import { createMail } from '../platform/mail/module.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import { createSecrets } from '../platform/secrets.ts';
import { createResolve } from '../platform/webhooks/address-guard.ts';
import type { DisabledEndpoint } from '../platform/webhooks/delivery-result.store.ts';
import type { RateSource } from '../rates/rates.ts';
import { createRates } from '../rates/rates.ts';
import type { Config } from '../settings/config.ts';
import { buildSweep } from '../stellar/treasury/treasury-deps.ts';
import { createStellar } from './create-stellar.ts';
import { demoWebhookUrl } from './demo.ts';
import { createSandbox } from './sandbox.ts';
import { createStellarMoney } from './stellar-money.ts';

/** What the app is made of. */
export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  /** How the database is reached: live updates keep a connection of their own. */
  readonly connection: pg.ClientConfig;
  /** 32 bytes from which every secret is derived. */
  readonly rootSecret: Buffer;
  /** The newest migration that this server knows; what the database is at when left out. */
  readonly schemaVersion?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Base address under which browsers reach the service, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string;
  /** Where prices come from; the sandbox market when left out. */
  readonly rateSource?: RateSource;
  /** The folder of the browser build; null: no pages, the API alone. */
  readonly browserDir: string | null;
  /** The first merchant’s test keys, as far as they are known. */
  readonly testKeys: () => Promise<TestKeys>;
}

/** What the modules need of the app itself. */
export interface AppHandle {
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
  /** Does all time-driven work that is due. */
  readonly sweepAll: () => Promise<unknown>;
  /** Where this machine reaches the server; null before it listens. */
  readonly serverUrl: () => string | null;
  /** The events that the modules declare. */
  readonly events: EventCatalogue;
  /** The families of scopes that they declare. */
  readonly scopeFamilies: readonly string[];
}

/** What the modules are given: each takes what it needs. */
export type Core = ReturnType<typeof createCore>;

/** Puts the services together that modules share, with the adapters of the network. */
export function createCore(deps: AppDeps, handle: AppHandle) {
  const { database, config, clock, log, publicUrl } = deps;
  const { db, pool } = database;
  const secrets = createSecrets(deps.rootSecret);
  const live = createLive({ connection: deps.connection, log });
  const keys = createKeyDirectory({ db, live });
  const once = createOnce({ db, secrets, publicUrl });
  const sandbox = createSandbox({ ...deps, live });
  const stellar = createStellar({
    ...{ config, db, secrets, clock, publicUrl },
    sandbox: { horizonUrl: () => `${handle.serverUrl()}/sandbox/horizon`, knownAssets: sandbox.rates.wellKnownAssets },
  });
  const rates = createRates(deps.rateSource ?? stellar.rateSource ?? sandbox.rates, clock);
  const purposes: PaymentPurpose[] = [];
  const outboundPurposes: OutboundPurpose[] = [];
  const outbound = createOutbound(handle.wake, [railSendSweep, buildSweep]);
  const shared = {
    ...{ outbound, db, pool, clock, secrets, once, live, log, publicUrl, rates, wake: handle.wake, purposes },
    findMerchant: (merchantId: string) => requireMerchant(database, merchantId),
  };
  const money = createStellarMoney({
    ...{ payments: shared, log, stellar },
    faucet: config.network === 'sandbox' ? sandbox.faucet : null,
    isReachable: () => config.network !== 'sandbox' || handle.serverUrl() !== null,
  });
  const payments: PaymentRouteDeps = {
    ...shared,
    // Where money is real there is no sandbox to charge a card or take a transfer.
    rails: stellar.livemode ? { card: null, banks: [] } : { card: sandbox.card, banks: sandbox.banks },
    crypto: [money.rail],
    readings: createDepositReadings(clock),
    chainQuestions: createGuessCounter(chainQuestionsPerMinute),
  };
  const mail = createMail({
    ...{ ...shared, config, documents: createMailAttachments(shared) },
    onGivenUp: (tx, given) => reportFailedMail(tx, shared, given),
  });
  return {
    ...handle,
    ...payments,
    ...portsOf(deps, handle, payments),
    ...callersOf(database, keys),
    ...deps,
    ...{ purposes, outboundPurposes, keys, sandbox, stellar, money, mail },
  };
}

/** What modules ask of each other where no import may lead. */
function portsOf(deps: AppDeps, { sweepAll }: AppHandle, payments: PaymentRouteDeps) {
  return {
    answerCreation: createPaymentResponder(payments),
    onAddress: resumeSettlements,
    assertAsset: (text: string, param: string) => void payments.rates.asset(text, param),
    afterClockMove: () => catchUp(sweepAll, deps.log),
    onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) =>
      tellOfDisabled(tx, { clock: deps.clock, findMerchants }, endpoints),
    resolve: createResolve(),
    allowLoopback: deps.config.webhookAllowLoopback,
    ownUrl: () => demoWebhookUrl(deps),
  };
}

/** Whom callers without an API key act for: a payer's payment, or the link that a payer opened. */
function callersOf({ db }: Database, keys: KeyDirectory) {
  const withMerchant = async (merchantId: string, livemode: boolean): Promise<Payer | null> => {
    const merchant = await keys.findMerchant(merchantId);
    return merchant && { merchant, livemode };
  };
  return {
    findPayer: async (merchantId: string, paymentId: string) => {
      const payment = await findPaymentMode(db, { merchantId, paymentId });
      return payment && (await withMerchant(merchantId, payment.livemode));
    },
    findLinkOwner: async (linkId: string) => {
      const link = await findLinkOwner(db, linkId);
      return link && (await withMerchant(link.merchantId, link.livemode));
    },
  };
}

/** Looks at a wallet and transactions made for one, of each payment. */
const chainQuestionsPerMinute = 30;

async function requireMerchant({ db }: Database, merchantId: string) {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`);
  return merchant;
}

/** Longest wait for what a move of the test clock brings about, in milliseconds; the rest goes on afterwards. */
const catchUpMs = 3_000;

async function catchUp(sweepAll: AppHandle['sweepAll'], log: Log): Promise<void> {
  const done = sweepAll().catch(error => log.error({ err: error }, 'a sweep after a clock move failed'));
  await Promise.race([done, sleep(catchUpMs, undefined, { ref: false })]);
}
