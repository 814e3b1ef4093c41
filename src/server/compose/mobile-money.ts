import type { Clock } from '../../core/clock.ts';
import { makeOutboundDue } from '../outbound/outbound.store.ts';
import { sendSweep } from '../outbound/sender.ts';
import type { Db } from '../platform/db/database.ts';
import { createHttpExchange } from '../platform/http-exchange.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { CallbackAddresses, MobileMoneyConnector, OrderKey } from '../rails/mobile-money/connector.ts';
import { createMpesaRail, type MpesaAccount } from '../rails/mobile-money/mpesa.ts';
import { createMtnRail } from '../rails/mobile-money/mtn.ts';
import type { MtnAccount } from '../rails/mobile-money/mtn-api.ts';
import type { MobileMoneyConfig } from '../settings/mobile-money-settings.ts';

interface MobileMoneyDeps {
  readonly config: MobileMoneyConfig;
  readonly livemode: boolean;
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'railToken' | 'openRailToken'>;
  readonly publicUrl: () => string;
  readonly wake: (sweep: string) => void;
}

/** Limits of requests to mobile-money operators, whose responses are short. A slow request is repeated later. */
const limits = { timeoutMs: 10_000, largestAnswerBytes: 256 * 1024 };

/** Connects to the configured operators. Test mode uses the simulated operators of the sandbox instead. */
export function createMobileMoney(deps: MobileMoneyDeps) {
  const { config, db, clock, wake } = deps;
  const http = createHttpExchange(limits);
  const parts = { http, addresses: addressesOf(deps) };
  const mtn = deps.livemode ? mtnAccount(config) : null;
  const mpesa = deps.livemode ? mpesaAccount(config) : null;
  const connectors: readonly MobileMoneyConnector[] = [
    ...(mtn === null ? [] : [createMtnRail({ ...parts, account: mtn })]),
    ...(mpesa === null ? [] : [createMpesaRail({ ...parts, db, account: mpesa })]),
  ];
  return {
    connectors,
    askAgain: async ({ lane }: MobileMoneyConnector, { merchantId, orderId }: OrderKey) => {
      const key = { merchant_id: merchantId, id: orderId };
      if (await makeOutboundDue(db, lane, key, clock.now())) wake(sendSweep);
    },
    close: () => http.close(),
  };
}

function addressesOf({ secrets, publicUrl }: MobileMoneyDeps): CallbackAddresses {
  return {
    urlOf: (rail, purpose, { merchantId, orderId }) =>
      `${publicUrl()}/rails/${rail}/callbacks/${secrets.railToken(`${rail} ${purpose}`, merchantId, orderId)}`,
    open: (rail, purpose, token) => secrets.openRailToken(`${rail} ${purpose}`, token),
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
