import type { OpenedCheckout, PaymentMethod } from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import type { CheckoutAccess, PaymentHandle } from './checkout-api.ts';

export interface CheckoutCustomer {
  readonly email: string;
  readonly name?: string;
}

/** The settings that decide which payment is shown. The checkout restarts when one of them changes, except `opened`. */
export interface CheckoutConfig {
  readonly apiKey: string | undefined;
  readonly paymentId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly baseUrl: string | undefined;
  /** In minor units of the currency. */
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
  /** The service's first answer, if the page contains it. */
  readonly opened?: OpenedCheckout | null | undefined;
}

let scriptOrigin = '';

/** Stores the origin of the script tag. It is the service's origin for elements without `base-url`. */
export function setScriptOrigin(origin: string): void {
  scriptOrigin = origin;
}

/** Whether the page contains a secret or restricted key, which must stay on a server. */
export const hasSecretKey = ({ apiKey }: Pick<CheckoutConfig, 'apiKey'>): boolean => /^\s*[sr]k_/.test(apiKey ?? '');

/** Whether the settings suffice to start, and the key is not secret. Otherwise `configProblem` names the problem. */
export function isUsable(config: CheckoutConfig): boolean {
  const { paymentId, clientSecret, link, proxyUrl, apiKey, amount, currency } = config;
  const isComplete = paymentId ? clientSecret : proxyUrl || link || (apiKey && amount && currency);
  return Boolean(isComplete && baseOf(config)) && !hasSecretKey(config);
}

/** The URL of the service or the proxy. Blank if neither the page nor a script tag names it. */
export const baseOf = ({ proxyUrl, baseUrl }: Partial<Pick<CheckoutConfig, 'proxyUrl' | 'baseUrl'>>): string =>
  proxyUrl || baseUrl || scriptOrigin;

/** The access to the service that the settings define. */
export function accessOf(config: CheckoutConfig): CheckoutAccess {
  return {
    baseUrl: baseOf(config).replace(/\/+$/, ''),
    apiKey: config.apiKey,
    proxied: Boolean(config.proxyUrl),
  };
}

/** The payment named by the settings, or null. */
export function handleOf({ paymentId, clientSecret }: CheckoutConfig): PaymentHandle | null {
  return paymentId ? { id: paymentId, secret: clientSecret ?? '' } : null;
}

/** The customer named by the page. If null, the element asks the payer. */
export function customerOf(config: CheckoutConfig): CheckoutCustomer | null {
  if (config.customer?.email) return config.customer;
  const { customerEmail: email, customerName: name } = config;
  return email ? { email, ...(name && { name }) } : null;
}

/** The body that creates the payment, without the customer. Omits missing values, which the service then reports. */
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

/** The settings as one text. The text shows a change, and identifies an order after a reload. */
export function configText(config: CheckoutConfig): string {
  return JSON.stringify([accessOf(config), handleOf(config), orderOf(config), customerOf(config), config.link]);
}
