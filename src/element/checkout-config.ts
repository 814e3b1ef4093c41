import type { PaymentMethod } from '../api/payment.ts';
import type { Metadata } from '../api/schema.ts';
import type { CheckoutAccess, PaymentHandle } from './checkout-api.ts';

/** Who pays. */
export interface CheckoutCustomer {
  readonly email: string;
  readonly name?: string;
}

/** What decides which payment the element shows. A change of any of these starts it anew. */
export interface CheckoutConfig {
  readonly apiKey: string | undefined;
  readonly paymentId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly baseUrl: string | undefined;
  /** Minor units. */
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  readonly settlementAsset: string | undefined;
  readonly paymentMethods: readonly PaymentMethod[];
  readonly customer: CheckoutCustomer | undefined;
  readonly customerEmail: string | undefined;
  readonly customerName: string | undefined;
  readonly metadata: Metadata | undefined;
  readonly redirectUrl: string | undefined;
  /** Id of a payment link. */
  readonly link: string | undefined;
}

let scriptOrigin = '';

/** Where the script tag came from: the service, unless an element says otherwise by `base-url`. */
export function setScriptOrigin(origin: string): void {
  scriptOrigin = origin;
}

/** Whether a key that belongs on servers is in the page. */
export const hasSecretKey = ({ apiKey }: CheckoutConfig): boolean => /^\s*[sr]k_/.test(apiKey ?? '');

/** Whether the service is asked for anything at all; if not, `configProblem` says why. */
export function isUsable(config: CheckoutConfig): boolean {
  const { paymentId, clientSecret, link, proxyUrl, apiKey, amount, currency } = config;
  const isComplete = paymentId ? clientSecret : proxyUrl || link || (apiKey && amount && currency);
  return Boolean(isComplete) && !hasSecretKey(config);
}

/** Whom the element is to the service. */
export function accessOf(config: CheckoutConfig): CheckoutAccess {
  const base = config.proxyUrl || config.baseUrl || scriptOrigin || location.origin;
  return {
    baseUrl: base.replace(/\/+$/, ''),
    apiKey: config.apiKey,
    proxied: Boolean(config.proxyUrl),
  };
}

/** The payment that is given, if one is. */
export function handleOf({ paymentId, clientSecret }: CheckoutConfig): PaymentHandle | null {
  return paymentId ? { id: paymentId, secret: clientSecret ?? '' } : null;
}

/** The customer the page has given, or null: then the payer is asked. */
export function customerOf(config: CheckoutConfig): CheckoutCustomer | null {
  if (config.customer?.email) return config.customer;
  const { customerEmail: email, customerName: name } = config;
  return email ? { email, ...(name && { name }) } : null;
}

/** The body that creates the payment, without the customer. Only what the page has said: the service says what is missing. */
export function orderOf(config: CheckoutConfig): object {
  const { amount, currency, settlementAsset, paymentMethods, metadata, redirectUrl } = config;
  return {
    amount: amount || undefined,
    currency: currency || undefined,
    settlement_asset: settlementAsset || undefined,
    settlement_network: 'stellar',
    payment_methods: paymentMethods,
    metadata: metadata || undefined,
    redirect_url: redirectUrl || undefined,
  };
}

/** All of the configuration as one text, to see whether it has changed, and to know an order again. */
export function configText(config: CheckoutConfig): string {
  return JSON.stringify([accessOf(config), handleOf(config), orderOf(config), customerOf(config), config.link]);
}
