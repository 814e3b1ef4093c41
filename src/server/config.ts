import { parseWebAddress } from '../core/web-address.ts';
import { parseKeyText } from './merchants/api-key.ts';

/** Everything that can be set, parsed. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Base address under which browsers reach the service, without a slash at the end; null: made of host and port. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** PostgreSQL to use instead of the embedded one. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number;
  readonly network: 'sandbox';
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
  readonly role: 'all' | 'api' | 'worker';
  /** Whether the demo shop is under `/demo/`. */
  readonly demo: boolean;
  readonly webhookAllowLoopback: boolean;
  /** Time between two ledgers of the sandbox network while there is something to do, in milliseconds. */
  readonly sandboxLedgerMs: number;
  /** Requests a second per secret key; 0: no limit. */
  readonly rateLimit: number;
  /** Requests a second per publishable key or client secret, and address; 0: no limit. */
  readonly clientRateLimit: number;
  readonly trustedProxies: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly logRequests: 'all' | 'errors' | 'none';
}

/** One setting: its variable, how its text is read (throws Error with what it takes), its default text, and its help. */
interface Setting<T> {
  readonly name: string;
  readonly parse: (text: string) => T;
  readonly default: string;
  readonly help: string;
}

type Settings = { readonly [K in keyof Config]: Setting<Config[K]> };

/** Every setting; `--help` shows them. */
export const settings: Settings = {
  port: {
    name: 'PORT',
    parse: integer(0, 65_535),
    default: '4242',
    help: 'Port to listen on; 0 takes any free one.',
  },
  host: { name: 'HOST', parse: nonEmpty, default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 for all.' },
  publicUrl: {
    name: 'PAY_PUBLIC_URL',
    parse: optional(baseUrl),
    default: '',
    help: 'Address under which browsers reach the service; default http://localhost:<port>.',
  },
  dataDir: {
    name: 'PAY_DATA_DIR',
    parse: nonEmpty,
    default: './data',
    help: 'Folder of the embedded PostgreSQL.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    parse: optional(databaseUrl),
    default: '',
    help: 'PostgreSQL 15 or newer to use instead of the embedded one: postgres://user:password@host/database.',
  },
  databaseConnections: {
    name: 'PAY_DATABASE_CONNECTIONS',
    parse: integer(2, 1000),
    default: '16',
    help: 'Largest number of connections to the database.',
  },
  network: {
    name: 'PAY_NETWORK',
    parse: network,
    default: 'sandbox',
    help: 'sandbox: every rail is simulated, no real money moves. The only network this version can work with.',
  },
  secretKey: {
    name: 'PAY_SECRET_KEY',
    parse: optional(testKey('secret')),
    default: '',
    help: "First merchant's secret test key (sk_test_…); otherwise one is made.",
  },
  publishableKey: {
    name: 'PAY_PUBLISHABLE_KEY',
    parse: optional(testKey('publishable')),
    default: '',
    help: "First merchant's publishable test key (pk_test_…); otherwise one is made.",
  },
  role: {
    name: 'PAY_ROLE',
    parse: oneOf(['all', 'api', 'worker']),
    default: 'all',
    help: 'all; api: answers requests only; worker: does time-driven work only (and answers /healthz, /readyz, /metrics).',
  },
  demo: { name: 'PAY_DEMO', parse: flag, default: '1', help: '0 leaves out the demo shop at /demo/.' },
  webhookAllowLoopback: {
    name: 'PAY_WEBHOOK_ALLOW_LOOPBACK',
    parse: flag,
    default: '0',
    help: '1 lets test mode webhooks go to addresses on this machine.',
  },
  sandboxLedgerMs: {
    name: 'PAY_SANDBOX_LEDGER_MS',
    parse: integer(10, 60_000),
    default: '1000',
    help: 'Milliseconds between two ledgers of the sandbox network while transactions wait for one.',
  },
  rateLimit: {
    name: 'PAY_RATE_LIMIT',
    parse: integer(0, 1_000_000),
    default: '20000',
    help: 'Requests a second that each secret key may make in each process; 0: no limit.',
  },
  clientRateLimit: {
    name: 'PAY_CLIENT_RATE_LIMIT',
    parse: integer(0, 1_000_000),
    default: '200',
    help: 'Requests a second that each browser (key and address) may make in each process; 0: no limit.',
  },
  trustedProxies: {
    name: 'PAY_TRUSTED_PROXIES',
    parse: list,
    default: '',
    help: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed, separated by commas.',
  },
  logLevel: {
    name: 'PAY_LOG_LEVEL',
    parse: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    help: 'debug, info, warn, error or silent.',
  },
  logRequests: {
    name: 'PAY_LOG_REQUESTS',
    parse: oneOf(['all', 'errors', 'none']),
    default: 'all',
    help: 'Which requests get a line in the log: all, errors (status 400 and up) or none.',
  },
};

/** The settings that were wrong, each with a sentence that says what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings from environment variables; a blank one counts as not set. Throws ConfigError with one line for
 * each that is wrong. No message repeats the value of a key or of an address that may hold a password.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries(settings).map(([field, setting]) => {
    const text = environment[setting.name]?.trim() || setting.default;
    try {
      return [field, setting.parse(text)];
    } catch (error) {
      problems.push(`  ${setting.name}: ${error instanceof Error ? error.message : error}`);
      return [field, null];
    }
  });
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    throw new ConfigError(`${count} wrong:\n${problems.join('\n')}`);
  }
  return Object.fromEntries(entries) as unknown as Config;
}

/** Every setting with its default and help, for `--help`. */
export function describeSettings(): string {
  return Object.values(settings)
    .map(({ name, default: standard, help }) => `  ${name}${standard === '' ? '' : ` (${standard})`}\n      ${help}`)
    .join('\n');
}

function optional<T>(parse: (text: string) => T): (text: string) => T | null {
  return text => (text === '' ? null : parse(text));
}

function integer(least: number, most: number): (text: string) => number {
  return text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value < least || value > most) throw new Error(`takes a whole number from ${least} to ${most}`);
    return value;
  };
}

function nonEmpty(text: string): string {
  if (text.includes('\0')) throw new Error('must not contain a NUL character');
  return text;
}

function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return text => {
    const value = values.find(candidate => candidate === text);
    if (value === undefined) throw new Error(`takes ${values.join(', ')}`);
    return value;
  };
}

function flag(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error('takes 0 or 1');
  return text === '1';
}

function list(text: string): readonly string[] {
  const ranges = text.split(',').flatMap(range => range.trim() || []);
  for (const range of ranges) {
    if (!/^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(range)) throw new Error(`"${range}" is no address or CIDR range`);
  }
  return ranges;
}

function network(text: string): 'sandbox' {
  if (text === 'sandbox') return text;
  if (text !== 'testnet' && text !== 'public') throw new Error('takes sandbox');
  throw new Error(`${text} cannot be used yet: this version settles nothing on Stellar. Leave it at sandbox`);
}

function baseUrl(text: string): string {
  const url = parseWebAddress(text);
  if (url === null || url.search !== '' || url.hash !== '') {
    throw new Error('takes an http or https address without query, for example https://pay.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

function databaseUrl(text: string): string {
  if (/^postgres(ql)?:\/\/[^\s]+$/.test(text)) return text;
  throw new Error('takes an address like postgres://user:password@host:5432/database');
}

function testKey(type: 'secret' | 'publishable'): (text: string) => string {
  const prefix = type === 'secret' ? 'sk_test_' : 'pk_test_';
  return text => {
    const key = parseKeyText(text);
    if (key?.type !== type || key.livemode) {
      throw new Error(`takes a key that begins with ${prefix}, followed by 16 to 120 letters and digits`);
    }
    return text;
  };
}
