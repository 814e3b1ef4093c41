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
} as const satisfies Readonly<Record<string, Setting>>;

export type MobileMoneyConfig = ValuesOf<typeof mobileMoneySettings>;

const groups = { mtn: /^mtn(?!Url)/, mpesa: /^mpesa(?!Url)/ } as const;

const fieldsOf = (group: RegExp) =>
  (Object.keys(mobileMoneySettings) as (keyof MobileMoneyConfig)[]).filter(name => group.test(name));

/** The names of the missing settings of a group. */
const missingOf = (config: MobileMoneyConfig, group: RegExp): string[] =>
  fieldsOf(group)
    .filter(field => config[field] === null)
    .map(field => mobileMoneySettings[field].name);

/** The names of the missing settings of each operator. */
export const missingMobileMoneySettings = (config: MobileMoneyConfig) => ({
  mtn: missingOf(config, groups.mtn),
  mpesa: missingOf(config, groups.mpesa),
});

/** Problems of incomplete groups, each as `VARIABLE: problem`. */
export function mobileMoneyProblems(config: MobileMoneyConfig): string[] {
  return Object.values(groups).flatMap(group => {
    const given = fieldsOf(group).find(field => config[field] !== null);
    if (given === undefined) return [];
    return missingOf(config, group).map(name => `${name}: is needed with ${mobileMoneySettings[given].name}`);
  });
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
