import { type CheckoutConfig, hasSecretKey } from './checkout-config.ts';
import type { PayErrorDetail } from './events.ts';

const secretKey: PayErrorDetail = {
  code: 'secret_key_refused',
  message:
    'A secret key is in this page, where anybody can read it. Revoke it, and use the publishable key (pk_…) or proxy-url.',
};

const missing: PayErrorDetail = {
  code: 'configuration_missing',
  message:
    'Set payment-id with client-secret, or link, or api-key with amount, currency and settlement-asset, or proxy-url.',
};

/** Why nothing can be shown with a configuration that is not usable, for the developer. */
export const configProblem = (config: CheckoutConfig): PayErrorDetail => (hasSecretKey(config) ? secretKey : missing);
