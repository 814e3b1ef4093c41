import { X509Certificate } from 'node:crypto';
import { currencyFault } from '../../core/currency.ts';
import { baseUrl, optional, SecretText, type Setting, type ValuesOf } from './setting.ts';

/** Settings of the connectors to mobile-money operators. In live mode, a connector needs all settings of its group. */
export const mobileMoneySettings = {
  mtnUrl: {
    name: 'PAY_MTN_URL',
    parse: baseUrl,
    default: 'https://proxy.momoapi.mtn.com',
    help: 'Base URL of the MTN MoMo API. The connector works on the public network only, as that of M-Pesa.',
  },
  mtnEnvironment: {
    name: 'PAY_MTN_ENVIRONMENT',
    parse: optional(word),
    help: 'Target environment of MTN MoMo: mtnghana, mtnuganda …',
  },
  mtnSubscriptionKey: {
    name: 'PAY_MTN_SUBSCRIPTION_KEY',
    parse: optional(secretText),
    help: "Subscription key of MTN MoMo's product Disbursements.",
    secret: true,
  },
  mtnApiUser: {
    name: 'PAY_MTN_API_USER',
    parse: optional(word),
    help: 'API user of MTN MoMo; its callback host is the host of PAY_PUBLIC_URL.',
  },
  mtnApiKey: {
    name: 'PAY_MTN_API_KEY',
    parse: optional(secretText),
    help: 'API key of that user.',
    secret: true,
  },
  mtnCurrency: {
    name: 'PAY_MTN_CURRENCY',
    parse: optional(currency),
    help: 'Currency of the MTN MoMo account: GHS, UGX …',
  },
  mtnCollectionSubscriptionKey: {
    name: 'PAY_MTN_COLLECTION_SUBSCRIPTION_KEY',
    parse: optional(secretText),
    help: "Subscription key of MTN MoMo's product Collections.",
    secret: true,
  },
  mtnCollectionApiUser: {
    name: 'PAY_MTN_COLLECTION_API_USER',
    parse: optional(word),
    help: 'API user of Collections; its callback host is the host of PAY_PUBLIC_URL.',
  },
  mtnCollectionApiKey: {
    name: 'PAY_MTN_COLLECTION_API_KEY',
    parse: optional(secretText),
    help: 'API key of that user.',
    secret: true,
  },
  mpesaUrl: {
    name: 'PAY_MPESA_URL',
    parse: baseUrl,
    default: 'https://api.safaricom.co.ke',
    help: "Base URL of M-Pesa's API Daraja.",
  },
  mpesaConsumerKey: {
    name: 'PAY_MPESA_CONSUMER_KEY',
    parse: optional(secretText),
    help: 'Consumer key of the Daraja app.',
    secret: true,
  },
  mpesaConsumerSecret: {
    name: 'PAY_MPESA_CONSUMER_SECRET',
    parse: optional(secretText),
    help: 'Consumer secret of the Daraja app.',
    secret: true,
  },
  mpesaShortcode: {
    name: 'PAY_MPESA_SHORTCODE',
    parse: optional(shortcode),
    help: 'Short code that pays: bulk disbursement (B2C), 5 to 9 digits.',
  },
  mpesaInitiator: {
    name: 'PAY_MPESA_INITIATOR',
    parse: optional(word),
    help: 'Name of the API initiator of the short code.',
  },
  mpesaInitiatorPassword: {
    name: 'PAY_MPESA_INITIATOR_PASSWORD',
    parse: optional(secretText),
    help: 'Password of that initiator.',
    secret: true,
  },
  mpesaCertificate: {
    name: 'PAY_MPESA_CERTIFICATE',
    parse: optional(certificate),
    help: "Safaricom's certificate that encrypts the password, as PEM text; \\n stands for a new line.",
  },
  mpesaCollectionConsumerKey: {
    name: 'PAY_MPESA_COLLECTION_CONSUMER_KEY',
    parse: optional(secretText),
    help: 'Consumer key of the Daraja app that collects (M-Pesa Express).',
    secret: true,
  },
  mpesaCollectionConsumerSecret: {
    name: 'PAY_MPESA_COLLECTION_CONSUMER_SECRET',
    parse: optional(secretText),
    help: 'Consumer secret of that app.',
    secret: true,
  },
  mpesaCollectionShortcode: {
    name: 'PAY_MPESA_COLLECTION_SHORTCODE',
    parse: optional(shortcode),
    help: 'Short code that collects: Pay Bill, 5 to 9 digits.',
  },
  mpesaCollectionPasskey: {
    name: 'PAY_MPESA_COLLECTION_PASSKEY',
    parse: optional(secretText),
    help: 'Lipa na M-Pesa passkey of that short code.',
    secret: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type MobileMoneyConfig = ValuesOf<typeof mobileMoneySettings>;

type Field = keyof MobileMoneyConfig;

/** A connector's settings: those that only it has, and those of its operator. */
interface Group {
  readonly own: readonly Field[];
  readonly shared: readonly Field[];
}

const mtnShared = ['mtnEnvironment', 'mtnCurrency'] as const;

const groups = {
  payOut: {
    mtn: { own: ['mtnSubscriptionKey', 'mtnApiUser', 'mtnApiKey'], shared: mtnShared },
    mpesa: {
      own: [
        ...(['mpesaConsumerKey', 'mpesaConsumerSecret', 'mpesaShortcode'] as const),
        ...(['mpesaInitiator', 'mpesaInitiatorPassword', 'mpesaCertificate'] as const),
      ],
      shared: [],
    },
  },
  payIn: {
    mtn: {
      own: ['mtnCollectionSubscriptionKey', 'mtnCollectionApiUser', 'mtnCollectionApiKey'],
      shared: mtnShared,
    },
    mpesa: {
      own: [
        ...(['mpesaCollectionConsumerKey', 'mpesaCollectionConsumerSecret'] as const),
        ...(['mpesaCollectionShortcode', 'mpesaCollectionPasskey'] as const),
      ],
      shared: [],
    },
  },
} as const satisfies Readonly<Record<'payIn' | 'payOut', Readonly<Record<string, Group>>>>;

/** The names of the missing settings of a group. */
const missingOf = (config: MobileMoneyConfig, { own, shared }: Group): string[] =>
  [...shared, ...own].filter(field => config[field] === null).map(field => mobileMoneySettings[field].name);

/** The names of the missing settings of each operator, for receiving or for sending money. */
export const missingMobileMoneySettings = (config: MobileMoneyConfig, direction: keyof typeof groups) => ({
  mtn: missingOf(config, groups[direction].mtn),
  mpesa: missingOf(config, groups[direction].mpesa),
});

/**
 * Problems of incomplete groups, each as `VARIABLE: problem`. A group is begun by a setting that only it has. On the
 * public network, a begun group needs an address that its operator can call.
 */
export function mobileMoneyProblems(
  config: MobileMoneyConfig & { readonly network: string | null; readonly publicUrl: string | null },
): string[] {
  const isGiven = (field: Field) => config[field] !== null;
  const all = [...Object.values(groups.payOut), ...Object.values(groups.payIn)] as readonly Group[];
  const begun = all.filter(({ own }) => own.some(isGiven));
  const isSharedAlone = mtnShared.some(isGiven) && !begun.some(({ shared }) => shared.length > 0);
  const first = begun[0]?.own.find(isGiven);
  const address =
    config.network === 'public' && first !== undefined && !isCallable(config.publicUrl)
      ? [
          `PAY_PUBLIC_URL: takes an https address with ${mobileMoneySettings[first].name}, because the operator calls it`,
        ]
      : [];
  const incomplete = [...begun, ...(isSharedAlone ? [groups.payOut.mtn] : [])].flatMap(group => {
    const given = [...group.own, ...group.shared].find(isGiven);
    return missingOf(config, group).map(
      name => `${name}: is needed with ${given === undefined ? '' : mobileMoneySettings[given].name}`,
    );
  });
  return [...address, ...incomplete];
}

/** Operators call https addresses only. An address of this machine serves tests against a fake operator. */
function isCallable(publicUrl: string | null): boolean {
  return publicUrl !== null && /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/.test(publicUrl);
}

function word(text: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(text)) throw new Error('takes up to 100 printable ASCII characters without blanks');
  return text;
}

function secretText(text: string): SecretText {
  if (!/^[\x20-\x7e]{1,500}$/.test(text)) throw new Error('takes up to 500 printable ASCII characters');
  return new SecretText(text);
}

function currency(text: string): string {
  const fault = currencyFault(text);
  if (fault !== null) throw new Error(fault);
  return text.toUpperCase();
}

function shortcode(text: string): string {
  if (!/^\d{5,9}$/.test(text)) throw new Error('takes 5 to 9 digits');
  return text;
}

/** The PEM text of an RSA certificate, with real line breaks. */
function certificate(text: string): string {
  const pem = text.replaceAll('\\n', '\n');
  try {
    if (new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa') return pem;
  } catch {
    // The error below explains the format.
  }
  throw new Error('takes an X.509 certificate of an RSA key as PEM text');
}
