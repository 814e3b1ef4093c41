import { baseUrl, optional, SecretText, type Setting, type ValuesOf } from './setting.ts';

/** Settings of the connector to the identity provider Sumsub. In live mode, it needs all of them. */
export const identitySettings = {
  sumsubUrl: {
    name: 'PAY_SUMSUB_URL',
    parse: baseUrl,
    default: 'https://api.sumsub.com',
    help: 'Base URL of the Sumsub API. The connector works on the public network only.',
  },
  sumsubAppToken: {
    name: 'PAY_SUMSUB_APP_TOKEN',
    parse: optional(secretText),
    help: 'App token of Sumsub, which checks the identities of customers. Without it, the merchants’ staff decides.',
    secret: true,
  },
  sumsubSecretKey: {
    name: 'PAY_SUMSUB_SECRET_KEY',
    parse: optional(secretText),
    help: 'Secret key of that app token, which signs requests.',
    secret: true,
  },
  sumsubWebhookSecret: {
    name: 'PAY_SUMSUB_WEBHOOK_SECRET',
    parse: optional(secretText),
    help: 'Secret key of the Sumsub webhook to /v1/kyc/callbacks/sumsub.',
    secret: true,
  },
  kycKeys: {
    name: 'PAY_KYC_KEYS',
    parse: fileKeys,
    help:
      'Keys that encrypt the files of identity checks, as name:key, newest first, separated by commas. A key has 32 ' +
      'bytes in Base64. On the public network, files need one.',
    secret: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

type IdentityConfig = ValuesOf<typeof identitySettings>;

const needed = ['sumsubAppToken', 'sumsubSecretKey', 'sumsubWebhookSecret'] as const;

/** Problems of incomplete settings, each as `VARIABLE: problem`. */
export function identityProblems(config: IdentityConfig): string[] {
  const given = needed.find(field => config[field] !== null);
  if (given === undefined) return [];
  return needed
    .filter(field => config[field] === null)
    .map(field => `${identitySettings[field].name}: is needed with ${identitySettings[given].name}`);
}

function secretText(text: string): SecretText {
  if (!/^[\x21-\x7e]{1,500}$/.test(text)) throw new Error('takes up to 500 printable ASCII characters without blanks');
  return new SecretText(text);
}

/** Names stand in the database beside the files. `server` is the key of test mode. */
function fileKeys(text: string): readonly { readonly name: string; readonly key: SecretText }[] {
  const keys = text.split(',').flatMap(part => {
    if (part.trim() === '') return [];
    const [, name, key] = /^([A-Za-z0-9_-]{1,40}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    if (name === undefined || key === undefined || name === 'server') {
      throw new Error(
        'takes keys like 2026a:<Base64 of 32 bytes>, separated by commas; `openssl rand -base64 32` makes one',
      );
    }
    return { name, key: new SecretText(key) };
  });
  if (new Set(keys.map(({ name }) => name)).size < keys.length) throw new Error('has two keys with the same name');
  return keys;
}
