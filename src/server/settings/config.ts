import { parseKeyText } from '../platform/http/access/caller.ts';
import { bankProblems, bankSettings } from './bank-settings.ts';
import { identityProblems, identitySettings } from './identity-settings.ts';
import { mobileMoneyProblems, mobileMoneySettings } from './mobile-money-settings.ts';
import { networkProblems, networkSettings } from './network-settings.ts';
import {
  baseUrl,
  flag,
  integer,
  list,
  mailAddress,
  nonEmpty,
  oneOf,
  optional,
  type Setting,
  smtpUrl,
  someOf,
  unknownSettings,
  type ValuesOf,
} from './setting.ts';

const table = {
  port: {
    name: 'PORT',
    parse: integer(0, 65_535),
    default: '4242',
    help: 'Port to listen on; 0 picks a free port.',
  },
  host: {
    name: 'HOST',
    parse: nonEmpty,
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 means all addresses.',
  },
  publicUrl: {
    name: 'PAY_PUBLIC_URL',
    parse: optional(baseUrl),
    help: 'Base URL that browsers use to reach the service. Default: http://localhost:<port>.',
  },
  dataDir: {
    name: 'PAY_DATA_DIR',
    parse: nonEmpty,
    default: './data',
    help: 'Data folder of the embedded PostgreSQL.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    parse: optional(databaseUrl),
    help: 'PostgreSQL 15 or newer instead of the embedded one: postgres://user:password@host/database.',
    secret: true,
  },
  databaseConnections: {
    name: 'PAY_DATABASE_CONNECTIONS',
    parse: integer(2, 1000),
    default: '16',
    help: 'Maximum number of database connections for each server process.',
  },
  ...networkSettings,
  ...mobileMoneySettings,
  ...bankSettings,
  ...identitySettings,
  secretKey: {
    name: 'PAY_SECRET_KEY',
    parse: optional(keyOf('secret')),
    help: 'Secret key of the first merchant (sk_test_…, on public sk_live_…). Default: the server creates one.',
    secret: true,
  },
  publishableKey: {
    name: 'PAY_PUBLISHABLE_KEY',
    parse: optional(keyOf('publishable')),
    help: 'Publishable key of the first merchant (pk_test_…, on public pk_live_…). Default: the server creates one.',
  },
  role: {
    name: 'PAY_ROLE',
    parse: oneOf(['all', 'api', 'worker']),
    default: 'all',
    help: 'api answers requests, worker runs scheduled work (and answers /healthz, /readyz, /metrics), all does both.',
  },
  demo: {
    name: 'PAY_DEMO',
    parse: flag,
    default: '1',
    help: '0 removes the demo shop at /demo/. The public network never has it.',
  },
  webhookAllowLoopback: {
    name: 'PAY_WEBHOOK_ALLOW_LOOPBACK',
    parse: optional(flag),
    help: '1 allows test mode webhooks to addresses on this machine, 0 refuses them. Default: 1 in the sandbox, elsewhere 0.',
  },
  webhookAllowedNetworks: {
    name: 'PAY_WEBHOOK_ALLOWED_NETWORKS',
    parse: list,
    help: 'Private networks that webhooks may call (Compose, Kubernetes): addresses or CIDR ranges, separated by commas, such as 10.0.0.0/8.',
  },
  smtpUrl: {
    name: 'SMTP_URL',
    parse: optional(smtpUrl),
    help: 'Mail server: smtp://user:password@host:587 or smtps://…. Without it, test mode mails appear at /sandbox/outbox and live mode mails wait.',
    secret: true,
  },
  mailFrom: {
    name: 'PAY_MAIL_FROM',
    parse: optional(mailAddress),
    help: 'Sender address of mails. Default: no-reply@<host of PAY_PUBLIC_URL>.',
  },
  sandboxLedgerMs: {
    name: 'PAY_SANDBOX_LEDGER_MS',
    parse: integer(10, 60_000),
    default: '1000',
    help: 'Milliseconds between two ledgers of the sandbox network while transactions are waiting.',
  },
  sandboxAcquirers: {
    name: 'PAY_SANDBOX_ACQUIRERS',
    parse: someOf(['sandbox_card', 'sandbox_hosted', 'sandbox_wallets']),
    default: 'sandbox_card',
    help: 'Card acquirers of test mode, the preferred one first: sandbox_card, sandbox_hosted (own card form, sends events), sandbox_wallets (takes Apple Pay and Google Pay).',
  },
  rateLimit: {
    name: 'PAY_RATE_LIMIT',
    parse: integer(0, 1_000_000),
    default: '20000',
    help: 'Requests per second for each secret key and server process; 0 means no limit.',
  },
  clientRateLimit: {
    name: 'PAY_CLIENT_RATE_LIMIT',
    parse: integer(0, 1_000_000),
    default: '200',
    help: 'Requests per second for each browser (key and address) and server process; 0 means no limit, also for payments started from links.',
  },
  trustedProxies: {
    name: 'PAY_TRUSTED_PROXIES',
    parse: list,
    help: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted, separated by commas.',
  },
  drainSeconds: {
    name: 'PAY_DRAIN_SECONDS',
    parse: integer(0, 600),
    default: '0',
    help: 'Seconds for which a server that got SIGTERM still serves requests while /readyz answers 503; 5 or more behind a load balancer.',
  },
  logLevel: {
    name: 'PAY_LOG_LEVEL',
    parse: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    help: 'Lowest level that is logged: debug, info, warn, error or silent.',
  },
  logRequests: {
    name: 'PAY_LOG_REQUESTS',
    parse: oneOf(['all', 'errors', 'none']),
    default: 'all',
    help: 'Requests that are logged: all, errors (status 400 and above) or none.',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The values of all settings. Null: the setting is not set, and the default of the help text applies. */
export type Config = ValuesOf<typeof table>;

/**
 * Every setting; `--help` shows them. `envalid`, `env-schema` and `convict` would replace only the loop of
 * `readConfig`. Misspelt names, cross-checks, parsers and messages without secrets would stay our code.
 */
export const settings: Readonly<Record<string, Setting>> = table;

const settingNames = Object.values(settings).map(({ name }) => name);

/** Names of variables that begin with `PAY_` but are not settings. */
export function strangeSettings(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return unknownSettings(environment, settingNames).map(({ name }) => name);
}

/** Thrown for wrong settings. The message lists them and the accepted form of each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings from environment variables. A blank variable counts as not set. Throws ConfigError with one line
 * for each wrong value and each misspelt name. No message repeats a value that may be secret.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries(settings).map(([field, setting]) => {
    const text = environment[setting.name]?.trim() || (setting.default ?? '');
    try {
      return [field, setting.parse(text)];
    } catch (error) {
      problems.push(`  ${setting.name}: ${error instanceof Error ? error.message : error}`);
      return [field, null];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  const groups = [
    ...networkProblems(config),
    ...mobileMoneyProblems(config),
    ...bankProblems(config),
    ...identityProblems(config),
  ];
  problems.push(...groups.map(problem => `  ${problem}`));
  for (const { name, meant } of unknownSettings(environment, settingNames)) {
    if (meant !== null) problems.push(`  ${name}: is not a setting. Did you mean ${meant}?`);
  }
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    throw new ConfigError(`${count} wrong:\n${problems.join('\n')}`);
  }
  return config;
}

/** Every setting with its default and help, for `--help`. */
export function describeSettings(): string {
  return Object.values(settings)
    .map(
      ({ name, default: standard = '', help }) => `  ${name}${standard === '' ? '' : ` (${standard})`}\n      ${help}`,
    )
    .join('\n');
}

function databaseUrl(text: string): string {
  if (/^postgres(ql)?:\/\/[^\s]+$/.test(text)) return text;
  throw new Error('takes an address like postgres://user:password@host:5432/database');
}

/** Parses a key of this type. `networkProblems` checks whether the key's mode fits the network. */
function keyOf(type: 'secret' | 'publishable'): (text: string) => string {
  const prefix = type === 'secret' ? 'sk' : 'pk';
  return text => {
    if (parseKeyText(text)?.type === type) return text;
    throw new Error(
      `takes a key that begins with ${prefix}_test_ (${prefix}_live_ on the public network), followed by 16 to 120 letters and digits`,
    );
  };
}
