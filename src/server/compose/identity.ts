import type { KycDeps } from '../kyc/kyc-deps.ts';
import { createSumsub } from '../kyc/providers/sumsub.ts';
import { createHttpExchange } from '../platform/http-exchange.ts';
import { defineModule } from '../platform/module.ts';
import type { Config } from '../settings/config.ts';
import type { Stellar } from './create-stellar.ts';
import type { Sandbox } from './sandbox.ts';

type Services = Pick<KycDeps, 'kycProvider' | 'kycScreens'>;

interface Deps {
  readonly config: Config;
  readonly stellar: Pick<Stellar, 'livemode'>;
  readonly sandbox: Pick<Sandbox, 'identity'>;
}

/** Limits of requests to identity providers, whose responses are short. A slow request is repeated later. */
const limits = { timeoutMs: 10_000, largestAnswerBytes: 256 * 1024 };

/** The identity provider and the screens of the server's network. Test mode uses the simulated ones. */
export const identity = defineModule<Deps, { services: Services }>({
  name: 'identity',
  provides: {
    kycProvider: ({ config, stellar: { livemode }, sandbox }) =>
      livemode ? liveProvider(config) : sandbox.identity.provider,
    kycScreens: ({ stellar: { livemode }, sandbox }) => (livemode ? [] : sandbox.identity.screens),
  },
});

/** The provider whose settings are complete. Null: the merchants' staff decides. */
function liveProvider(config: Config): KycDeps['kycProvider'] {
  const {
    sumsubUrl: url,
    sumsubAppToken: appToken,
    sumsubSecretKey: secretKey,
    sumsubWebhookSecret: webhookSecret,
  } = config;
  if (!appToken || !secretKey || !webhookSecret) return null;
  const account = {
    url,
    appToken: appToken.reveal(),
    secretKey: secretKey.reveal(),
    webhookSecret: webhookSecret.reveal(),
  };
  return createSumsub({ account, http: createHttpExchange(limits) });
}
