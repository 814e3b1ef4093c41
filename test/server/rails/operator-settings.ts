import type { FakeMpesa } from './fake-mpesa.ts';
import type { FakeMtn } from './fake-mtn.ts';

/** The settings by which the service reaches the fakes of the mobile-money operators, at these addresses. */
export function operatorSettings(
  { account: mtn, collecting }: Pick<FakeMtn, 'account' | 'collecting'>,
  { account: mpesa }: Pick<FakeMpesa, 'account'>,
  urls: { readonly mtn: string; readonly mpesa: string } = { mtn: mtn.url, mpesa: mpesa.url },
): Record<string, string> {
  return {
    PAY_MTN_URL: urls.mtn,
    PAY_MTN_ENVIRONMENT: mtn.environment,
    PAY_MTN_SUBSCRIPTION_KEY: mtn.subscriptionKey,
    PAY_MTN_API_USER: mtn.apiUser,
    PAY_MTN_API_KEY: mtn.apiKey,
    PAY_MTN_CURRENCY: mtn.currency,
    PAY_MTN_COLLECTION_SUBSCRIPTION_KEY: collecting.subscriptionKey,
    PAY_MTN_COLLECTION_API_USER: collecting.apiUser,
    PAY_MTN_COLLECTION_API_KEY: collecting.apiKey,
    PAY_MPESA_URL: urls.mpesa,
    PAY_MPESA_CONSUMER_KEY: mpesa.consumerKey,
    PAY_MPESA_CONSUMER_SECRET: mpesa.consumerSecret,
    PAY_MPESA_SHORTCODE: mpesa.shortcode,
    PAY_MPESA_INITIATOR: mpesa.initiator,
    PAY_MPESA_INITIATOR_PASSWORD: mpesa.initiatorPassword,
    PAY_MPESA_CERTIFICATE: mpesa.certificate.replaceAll('\n', '\\n'),
    PAY_MPESA_COLLECTION_CONSUMER_KEY: mpesa.consumerKey,
    PAY_MPESA_COLLECTION_CONSUMER_SECRET: mpesa.consumerSecret,
    PAY_MPESA_COLLECTION_SHORTCODE: mpesa.shortcode,
    PAY_MPESA_COLLECTION_PASSKEY: mpesa.passkey,
  };
}
