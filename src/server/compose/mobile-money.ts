import type { Clock } from '../../core/clock.ts';
import { makeOutboundDue } from '../outbound/outbound.store.ts';
import { sendSweep } from '../outbound/sender.ts';
import type { Db } from '../platform/db/database.ts';
import { createHttpExchange, type HttpExchange } from '../platform/http-exchange.ts';
import type { Log } from '../platform/logging.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { MobileMoneyCollector } from '../rails/mobile-money/collector.ts';
import type { CallbackAddresses, MobileMoneyConnector, OrderKey } from '../rails/mobile-money/connector.ts';
import { createDarajaApi, type DarajaApp } from '../rails/mobile-money/daraja-api.ts';
import { createMpesaRail, type MpesaAccount } from '../rails/mobile-money/mpesa.ts';
import { createMpesaExpress, type MpesaExpressAccount } from '../rails/mobile-money/mpesa-express.ts';
import { createMtnRail } from '../rails/mobile-money/mtn.ts';
import { createMtnApi, type MtnAccount, type MtnProduct } from '../rails/mobile-money/mtn-api.ts';
import { createMtnCollections } from '../rails/mobile-money/mtn-collections.ts';
import type { ProviderApi } from '../rails/mobile-money/provider-api.ts';
import { type MobileMoneyConfig, mobileMoneySettings } from '../settings/mobile-money-settings.ts';

interface MobileMoneyDeps {
  readonly config: MobileMoneyConfig;
  readonly livemode: boolean;
  readonly db: Db;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'railToken' | 'openRailToken'>;
  readonly publicUrl: () => string;
  readonly wake: (sweep: string) => void;
  /** Lets the service ask the rail about a payment's attempt at once. */
  readonly askAttempt: (
    rail: string,
    attempt: { readonly merchantId: string; readonly attemptId: string },
  ) => Promise<void>;
}

/** Limits of requests to mobile-money operators, whose responses are short. A slow request is repeated later. */
const limits = { timeoutMs: 10_000, largestAnswerBytes: 256 * 1024 };

/** Connects to the configured operators. Test mode uses the simulated operators of the sandbox instead. */
export function createMobileMoney(deps: MobileMoneyDeps) {
  const { config, db, clock, wake } = deps;
  const http = createHttpExchange(limits);
  const accounts = accountsOf(config, deps.livemode);
  const onProblem = (problem: string) =>
    deps.log.warn({ problem }, 'a mobile-money operator does not work as expected');
  const orders = { http, onProblem, db, addresses: addressesOf(deps, 'outboundTransfer') };
  const attempts = { http, onProblem, db, addresses: addressesOf(deps, 'attempt') };
  const { mtn, mpesa, mtnCollections, mpesaExpress } = accounts;
  const connectors: readonly MobileMoneyConnector[] = [
    ...(mtn === null ? [] : [createMtnRail({ ...orders, account: mtn })]),
    ...(mpesa === null ? [] : [createMpesaRail({ ...orders, account: mpesa })]),
  ];
  const collectors: readonly MobileMoneyCollector[] = [
    ...(mtnCollections === null ? [] : [createMtnCollections({ ...attempts, account: mtnCollections })]),
    ...(mpesaExpress === null ? [] : [createMpesaExpress({ ...attempts, account: mpesaExpress })]),
  ];
  const askAboutOrder = async ({ lane }: MobileMoneyConnector, { merchantId, orderId }: OrderKey) => {
    const key = { merchant_id: merchantId, id: orderId };
    if (await makeOutboundDue(db, lane, key, clock.now())) wake(sendSweep);
  };
  const askAboutAttempt = ({ id }: MobileMoneyCollector, { merchantId, orderId: attemptId }: OrderKey) =>
    deps.askAttempt(id, { merchantId, attemptId });
  return {
    connectors,
    collectors,
    receivers: [
      ...connectors.map(each => receiverOf(each, askAboutOrder)),
      ...collectors.map(each => receiverOf(each, askAboutAttempt)),
    ],
    problems: () => [...connectors, ...collectors].flatMap(each => each.problem() ?? []),
    /** 1 for each connector whose last call failed, otherwise 0, by direction and operator. */
    failing: () =>
      new Map([
        ...connectors.map(each => [`pays ${each.id}`, each.problem() === null ? 0 : 1] as const),
        ...collectors.map(each => [`collects ${each.id}`, each.problem() === null ? 0 : 1] as const),
      ]),
    close: () => http.close(),
  };
}

/** The login of one connector, for a check of its settings. */
export interface MobileMoneyLogin {
  /** The operator's product, and its base URL. */
  readonly name: string;
  readonly url: string;
  /** The settings that the login needs. */
  readonly settings: readonly string[];
  /** Fetches a token. Returns the problem, or null. */
  login(): Promise<string | null>;
}

/** The logins of the connectors whose settings are complete. */
export function mobileMoneyLogins(config: MobileMoneyConfig, http: Pick<HttpExchange, 'send'>): MobileMoneyLogin[] {
  const { mtn, mpesa, mtnCollections, mpesaExpress } = accountsOf(config, true);
  const mtnLogin = (name: string, product: MtnProduct, account: MtnAccount | null, fields: readonly Field[]) =>
    account === null ? [] : [loginOf(name, account.url, createMtnApi({ name, product, account, http }), fields)];
  const darajaLogin = (name: string, account: DarajaApp | null, fields: readonly Field[]) =>
    account === null ? [] : [loginOf(name, account.url, createDarajaApi({ name, account, http }), fields)];
  const ofCollections = ['mtnCollectionSubscriptionKey', 'mtnCollectionApiUser', 'mtnCollectionApiKey'] as const;
  return [
    ...mtnLogin('MTN MoMo', 'disbursement', mtn, ['mtnSubscriptionKey', 'mtnApiUser', 'mtnApiKey']),
    ...mtnLogin('MTN MoMo Collections', 'collection', mtnCollections, ofCollections),
    ...darajaLogin('M-Pesa', mpesa, ['mpesaConsumerKey', 'mpesaConsumerSecret']),
    ...darajaLogin('M-Pesa Express', mpesaExpress, ['mpesaCollectionConsumerKey', 'mpesaCollectionConsumerSecret']),
  ];
}

type Field = keyof MobileMoneyConfig;

function loginOf(name: string, url: string, { login }: ProviderApi, fields: readonly Field[]): MobileMoneyLogin {
  return { name, url, login, settings: fields.map(field => mobileMoneySettings[field].name) };
}

/** Receives the callbacks of a connector, then asks about their order or attempt. */
function receiverOf<Connector extends MobileMoneyConnector | MobileMoneyCollector>(
  connector: Connector,
  askAgain: (connector: Connector, key: OrderKey) => Promise<void>,
) {
  return {
    id: connector.id,
    receive: async (token: string, body: string) => {
      const key = await connector.receive(token, body);
      if (key !== null) await askAgain(connector, key);
      return key !== null;
    },
  };
}

function addressesOf({ secrets, publicUrl }: MobileMoneyDeps, kind: 'outboundTransfer' | 'attempt'): CallbackAddresses {
  return {
    urlOf: (rail, purpose, { merchantId, orderId }) =>
      `${publicUrl()}/rails/${rail}/callbacks/${secrets.railToken(`${rail} ${purpose}`, merchantId, orderId)}`,
    open: (rail, purpose, token) => secrets.openRailToken(`${rail} ${purpose}`, token, kind),
  };
}

/** The accounts whose settings are complete. */
function accountsOf(config: MobileMoneyConfig, livemode: boolean) {
  return {
    mtn: livemode ? mtnAccount(config) : null,
    mpesa: livemode ? mpesaAccount(config) : null,
    mtnCollections: livemode ? mtnCollectionsAccount(config) : null,
    mpesaExpress: livemode ? mpesaExpressAccount(config) : null,
  };
}

function mtnAccount(config: MobileMoneyConfig): MtnAccount | null {
  const { mtnEnvironment, mtnSubscriptionKey, mtnApiUser, mtnApiKey, mtnCurrency } = config;
  if (!mtnEnvironment || !mtnSubscriptionKey || !mtnApiUser || !mtnApiKey || !mtnCurrency) return null;
  return {
    url: config.mtnUrl,
    environment: mtnEnvironment,
    subscriptionKey: mtnSubscriptionKey.reveal(),
    apiUser: mtnApiUser,
    apiKey: mtnApiKey.reveal(),
    currency: mtnCurrency,
  };
}

function mtnCollectionsAccount(config: MobileMoneyConfig): MtnAccount | null {
  const { mtnEnvironment, mtnCurrency } = config;
  const { mtnCollectionSubscriptionKey: key, mtnCollectionApiUser: apiUser, mtnCollectionApiKey: apiKey } = config;
  if (!mtnEnvironment || !mtnCurrency || !key || !apiUser || !apiKey) return null;
  return {
    url: config.mtnUrl,
    environment: mtnEnvironment,
    subscriptionKey: key.reveal(),
    apiUser,
    apiKey: apiKey.reveal(),
    currency: mtnCurrency,
  };
}

function mpesaAccount(config: MobileMoneyConfig): MpesaAccount | null {
  const { mpesaConsumerKey, mpesaConsumerSecret, mpesaShortcode, mpesaInitiator } = config;
  const { mpesaInitiatorPassword, mpesaCertificate } = config;
  if (!mpesaConsumerKey || !mpesaConsumerSecret || !mpesaShortcode || !mpesaInitiator) return null;
  if (!mpesaInitiatorPassword || !mpesaCertificate) return null;
  return {
    url: config.mpesaUrl,
    consumerKey: mpesaConsumerKey.reveal(),
    consumerSecret: mpesaConsumerSecret.reveal(),
    shortcode: mpesaShortcode,
    initiator: mpesaInitiator,
    initiatorPassword: mpesaInitiatorPassword.reveal(),
    certificate: mpesaCertificate,
  };
}

function mpesaExpressAccount(config: MobileMoneyConfig): MpesaExpressAccount | null {
  const { mpesaCollectionConsumerKey: key, mpesaCollectionConsumerSecret: secret } = config;
  const { mpesaCollectionShortcode: shortcode, mpesaCollectionPasskey: passkey } = config;
  if (!key || !secret || !shortcode || !passkey) return null;
  return {
    url: config.mpesaUrl,
    consumerKey: key.reveal(),
    consumerSecret: secret.reveal(),
    shortcode,
    passkey: passkey.reveal(),
  };
}
