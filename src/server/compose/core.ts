import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import { approvalLimit } from '../approvals/approval-limit.ts';
import { findCustomer } from '../customers/customer.store.ts';
import { createCustomDomain } from '../domains/custom-domain.ts';
import { createDns, type Dns } from '../domains/dns.ts';
import { createDomainDirectory } from '../domains/domain-directory.ts';
import { reportFailedMail } from '../invoices/notifications/invoice-notifications.ts';
import { createMailAttachments } from '../invoices/notifications/mail-attachments.ts';
import { findLinkOwner } from '../links/link.store.ts';
import { createKeyDirectory, type KeyDirectory } from '../merchants/key-directory.ts';
import { findMerchant, findMerchants } from '../merchants/merchant.store.ts';
import { createOutbound } from '../outbound/outbound.service.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { sendSweep } from '../outbound/send.service.ts';
import { createSingleSender, type Planner, type Sender } from '../outbound/sender.ts';
import { createPaymentResponder } from '../payments/checkout/payment-create.routes.ts';
import { createDepositReadings } from '../payments/crypto/deposit-watch.service.ts';
import { findPaymentMode, resumeSettlements } from '../payments/payment.store.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import { createReceiptAttachments } from '../payments/receipts/receipt-mail.ts';
import { createPasswords, type Passwords } from '../people/password.ts';
import { createSessions, type SessionDeps } from '../people/session/sessions.ts';
import type { AttentionSource } from '../platform/db/attention.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import type { PageId, SearchSource } from '../platform/db/search.ts';
import { createLive } from '../platform/events/live.ts';
import type { EventCatalogue } from '../platform/events/sample.ts';
import type { Payer } from '../platform/http/access/auth.ts';
import { createGuessCounter } from '../platform/http/access/rate-limit.ts';
import type { Scopes } from '../platform/http/access/roles.ts';
import { createCallLog } from '../platform/http/calls/call-log.ts';
import { createCalls } from '../platform/http/idempotency/idempotency.ts';
import type { Log } from '../platform/logging.ts';
import { tellOfDisabled } from '../platform/mail/endpoint-mail.ts';
import type { MailDocuments } from '../platform/mail/mail-documents.ts';
import { createMail } from '../platform/mail/module.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import { createSecrets } from '../platform/secrets.ts';
import { createResolve } from '../platform/webhooks/address-guard.ts';
import type { DisabledEndpoint } from '../platform/webhooks/delivery-result.store.ts';
import type { Rails } from '../rails/rails.ts';
import type { RateSource } from '../rates/rates.ts';
import { createRates } from '../rates/rates.ts';
import type { Config } from '../settings/config.ts';
import { parseAssets } from '../settings/network-settings.ts';
import { buildSweep } from '../stellar/treasury/treasury-deps.ts';
import { createBankPayouts } from './bank-payouts.ts';
import { createStellar, type Stellar } from './create-stellar.ts';
import { demoWebhookUrl } from './demo.ts';
import { createMobileMoney } from './mobile-money.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { createStellarMoney } from './stellar-money.ts';

export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  /** Connection settings of the database. Live updates use a separate connection. */
  readonly connection: pg.ClientConfig;
  /** The 32-byte root secret. The service derives its encryption key, tokens and Stellar keys from it. */
  readonly rootSecret: Buffer;
  /** The newest migration that this server knows. Default: the newest migration in the database at the start. */
  readonly schemaVersion?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The service's base URL for browsers, without a final slash. Known once the server listens. */
  readonly publicUrl: () => string;
  /** The source of prices. Default: Stellar's market and the ECB; on the sandbox network, the sandbox market. */
  readonly rateSource?: RateSource;
  /** Hashes passwords. Default: at the usual cost, which is slow by intention. */
  readonly passwords?: Passwords;
  /** Makes DNS queries about merchants' domains. Default: with the name servers of this machine. */
  readonly dns?: Dns;
  /** The folder of the browser build. Null: the server has the API and no pages. */
  readonly browserDir: string | null;
  /** The first merchant, and its usable keys whose text the server knows. */
  readonly testKeys: () => Promise<TestKeys>;
}

/** The parts of the app that modules use. */
export interface AppHandle {
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
  /** Runs all sweeps until no due work remains. */
  readonly sweepAll: () => Promise<unknown>;
  /** The server's URL on this machine, or null before it listens. */
  readonly serverUrl: () => string | null;
  /** The events that the modules declare. */
  readonly events: EventCatalogue;
  /** The scopes that the modules declare. */
  readonly scopes: Scopes;
  /** Counts of objects that need a person's attention, as the modules declare them. */
  readonly attention: Readonly<Record<string, AttentionSource>>;
  /** The modules' searches for objects by text. */
  readonly searches: readonly SearchSource[];
  /** Ids in the URLs of hosted pages, by the first part of the path. */
  readonly pageIds: Readonly<Record<string, PageId>>;
}

type MailDeps = Parameters<typeof createMail>[0];
type SharedByMail = Omit<MailDeps, 'config' | 'documents' | 'onGivenUp'> &
  Parameters<typeof mailDocuments>[0] &
  Parameters<typeof reportFailedMail>[1];

/** The services that modules share. */
export type Core = ReturnType<typeof createCore>;

/** Creates the shared services and the network adapters. */
export function createCore(deps: AppDeps, handle: AppHandle) {
  const { base, networks, keys } = baseOf(deps, handle);
  const { stellar, sandbox } = networks;
  const { config, clock } = deps;
  const [outboundPurposes, planners]: [OutboundPurpose[], Planner[]] = [[], []];
  const senders = [sendSweep, buildSweep];
  const shared = { ...base, outbound: createOutbound({ ...base, purposes: outboundPurposes, senders, planners }) };
  const isSandbox = config.network === 'sandbox';
  const money = createStellarMoney({
    payments: shared,
    log: deps.log,
    stellar,
    faucet: isSandbox ? sandbox.faucet : null,
    isReachable: () => !isSandbox || handle.serverUrl() !== null,
  });
  planners.push(money.planner);
  const connected = connectPayouts({ ...shared, config, livemode: stellar.livemode });
  const rails = railsOf(stellar.livemode, sandbox, connected);
  const payments: PaymentRouteDeps = {
    ...shared,
    rails,
    crypto: [money.rail],
    readings: createDepositReadings(clock),
    chainQuestions: createGuessCounter(chainQuestionsPerMinute),
    findCustomer: (scope, id) => findCustomer(base.db, scope, id),
  };
  return {
    ...handle,
    ...payments,
    ...portsOf(deps, handle, payments),
    ...callersOf({ db: base.db, clock, secrets: base.secrets }, keys),
    ...deps,
    ...networks,
    purposes: base.purposes,
    hosts: base.hosts,
    outboundPurposes,
    keys,
    money,
    mail: mailOf(config, shared),
    senders: sendersOf(rails),
    ...connected,
  };
}

/** The services that need no network, and the networks. */
function baseOf(deps: AppDeps, handle: AppHandle) {
  const { database, clock, log, publicUrl } = deps;
  const { db, pool } = database;
  const secrets = createSecrets(deps.rootSecret);
  const live = createLive({ connection: deps.connection, log });
  const keys = createKeyDirectory({ db, live });
  const hosts = createDomainDirectory({ db, live, log, publicUrl });
  const sandbox = createSandbox({ ...deps, live });
  const stellar = stellarOf({ ...deps, db, secrets }, handle, sandbox);
  const base = {
    ...createCalls({ db, secrets, publicUrl }),
    db,
    pool,
    clock,
    secrets,
    live,
    log,
    publicUrl,
    hosts,
    rates: ratesOf(deps, stellar, sandbox),
    wake: handle.wake,
    purposes: [] as PaymentPurpose[],
    findMerchant: (merchantId: string) => requireMerchant(database, merchantId),
  };
  return { base, networks: { sandbox, stellar }, keys };
}

/** The Stellar network. The sandbox network is part of this server. */
function stellarOf(
  deps: Omit<Parameters<typeof createStellar>[0], 'sandbox'>,
  { serverUrl }: AppHandle,
  { rates }: Sandbox,
) {
  const horizonUrl = () => `${serverUrl()}/sandbox/horizon`;
  return createStellar({ ...deps, sandbox: { horizonUrl, knownAssets: rates.wellKnownAssets } });
}

/** The rates of the network, for the assets that the operator lists. */
function ratesOf({ config, clock, rateSource }: AppDeps, stellar: Stellar, sandbox: Sandbox) {
  const source = rateSource ?? stellar.rateSource ?? sandbox.rates;
  const listed = config.assets === null ? undefined : parseAssets(config.assets, stellar.knownAssets);
  return createRates(source, clock, listed);
}

/** The mails, with the documents of payments and invoices. */
function mailOf(config: Config, shared: SharedByMail) {
  const onGivenUp: MailDeps['onGivenUp'] = (tx, given) => reportFailedMail(tx, shared, given);
  return createMail({ ...shared, config, documents: mailDocuments(shared), onGivenUp });
}

/** The documents in mails: those of payments, and those of invoices. */
function mailDocuments(
  shared: Pick<PaymentRouteDeps, 'db' | 'secrets' | 'publicUrl' | 'hosts' | 'purposes' | 'findMerchant'>,
): MailDocuments {
  const [ofPayments, ofInvoices] = [createReceiptAttachments(shared), createMailAttachments(shared)];
  return { draw: (mail, ...rest) => (mail.resource_type === 'payment' ? ofPayments : ofInvoices).draw(mail, ...rest) };
}

/** Connects the banks and mobile-money operators that pay out. */
function connectPayouts(deps: Parameters<typeof createBankPayouts>[0] & Parameters<typeof createMobileMoney>[0]) {
  const { rails: bankRails, files: bankFiles } = createBankPayouts(deps);
  return { mobileMoney: createMobileMoney(deps), bankRails, bankFiles };
}

/** The payment and payout rails. Live mode takes no cards or bank transfers: only simulated rails exist for them. */
function railsOf(
  livemode: boolean,
  sandbox: Sandbox,
  { mobileMoney, bankRails }: ReturnType<typeof connectPayouts>,
): Rails {
  return livemode
    ? { cards: [], banks: [], payouts: [...bankRails, ...mobileMoney.connectors] }
    : { cards: sandbox.cards, banks: sandbox.banks, payouts: [...bankRails, ...sandbox.mobileMoney] };
}

/** Everything that sends money besides the treasury: the payout rails, and the refunds of banks and card acquirers. */
export function sendersOf({ cards, banks, payouts }: Rails): readonly Sender[] {
  const refunders = [
    ...banks.map(bank => ({ id: bank.id, send: bank.send.bind(bank), status: bank.sendStatus.bind(bank) })),
    ...cards.map(card => ({ id: card.id, send: card.refund.bind(card), status: card.refundStatus.bind(card) })),
  ];
  return [...refunders.map(({ id, send, status }) => createSingleSender(id, { send, status })), ...payouts];
}

/** Network adapters, the log of API calls, and functions through which modules call each other without an import. */
function portsOf(deps: AppDeps, { sweepAll }: AppHandle, payments: PaymentRouteDeps) {
  const allowLocalhost = deps.config.network === 'sandbox';
  return {
    answerCreation: createPaymentResponder(payments),
    onSettlementTerms: resumeSettlements,
    assertAsset: (text: string, param: string) => void payments.rates.listedAsset(text, param),
    afterClockMove: () => catchUp(sweepAll, deps.log),
    onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) =>
      tellOfDisabled(tx, { clock: deps.clock, findMerchants }, endpoints),
    resolve: createResolve(),
    dns: deps.dns ?? createDns(),
    allowLocalhost,
    approvalLimit,
    approvalPurposes: [] as ApprovalPurpose[],
    customDomain: createCustomDomain({ ...payments, clock: deps.clock, allowLocalhost }),
    callLog: createCallLog({ db: deps.database.db, clock: deps.clock, log: deps.log }),
    allowLoopback: deps.config.webhookAllowLoopback ?? deps.config.network === 'sandbox',
    allowedNetworks: deps.config.webhookAllowedNetworks,
    ownUrl: () => demoWebhookUrl(deps),
  };
}

/** Services that identify a caller without an API key: by a payment, a payment link, a password or a session. */
function callersOf(deps: Omit<SessionDeps, 'findMerchant'> & Pick<AppDeps, 'passwords'>, keys: KeyDirectory) {
  const { db } = deps;
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
    passwords: deps.passwords ?? createPasswords(),
    sessions: createSessions({ ...deps, findMerchant: keys.findMerchant }),
  };
}

/** Maximum number of calls per minute, for one payment, that query the chain about the payer's wallet. */
const chainQuestionsPerMinute = 30;

async function requireMerchant({ db }: Database, merchantId: string) {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} does not exist`);
  return merchant;
}

/** Maximum milliseconds to wait for the work that a move of the test clock makes due. Remaining work runs later. */
const catchUpMs = 3_000;

async function catchUp(sweepAll: AppHandle['sweepAll'], log: Log): Promise<void> {
  const done = sweepAll().catch(error => log.error({ err: error }, 'a sweep after a clock move failed'));
  await Promise.race([done, sleep(catchUpMs, undefined, { ref: false })]);
}
