import type { KycDeps } from '../kyc/kyc-deps.ts';
import { createSumsub } from '../kyc/providers/sumsub.ts';
import { createHttpExchange } from '../platform/http-exchange.ts';
import { createKeyRing } from '../platform/key-ring.ts';
import { defineModule } from '../platform/module.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Config } from '../settings/config.ts';
import { identitySettings } from '../settings/identity-settings.ts';
import type { Stellar } from './create-stellar.ts';
import type { Sandbox } from './sandbox.ts';

type Services = Pick<KycDeps, 'kycProvider' | 'kycScreens' | 'kycKeys'>;

interface Deps {
  readonly config: Config;
  readonly stellar: Pick<Stellar, 'livemode'>;
  readonly sandbox: Pick<Sandbox, 'identity'>;
  readonly secrets: Pick<Secrets, 'kycFileKey'>;
}

/** Limits of requests to identity providers, whose responses are short. A slow request is repeated later. */
const limits = { timeoutMs: 10_000, largestAnswerBytes: 256 * 1024 };

/** The identity provider, screens and file keys of the server's network. Test mode uses simulated ones. */
export const identity = defineModule<Deps, { services: Services }>({
  name: 'identity',
  provides: {
    kycProvider: ({ config, stellar: { livemode }, sandbox }) =>
      livemode ? liveProvider(config) : sandbox.identity.provider,
    kycScreens: ({ stellar: { livemode }, sandbox }) => (livemode ? [] : sandbox.identity.screens),
    kycKeys: ({ config, stellar: { livemode }, secrets }) => {
      const given = config.kycKeys.map(({ name, key }) => ({ name, key: Buffer.from(key.reveal(), 'base64') }));
      // The database contains this key, so it is too weak for real documents.
      const ownKey = { name: 'server', key: secrets.kycFileKey() };
      return createKeyRing(livemode ? given : [...given, ownKey], identitySettings.kycKeys.name);
    },
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
