import { createPayClient, type PayClient } from '../api/client.ts';
import { parseWebAddress } from '../core/web-address.ts';
import { CliError } from './cli-error.ts';
import type { Environment } from './machine/machine.ts';

/** The options of all commands. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly apiKey?: string;
  readonly url?: string;
}

/** The service that a command calls, and its client. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
  readonly pay: PayClient;
}

/** Maximum time for a service on this machine to answer a health check, in milliseconds. */
const answerMs = 5_000;

/**
 * The client of the service, with the key of the options, the environment or this machine's database. Throws CliError
 * when there is no key.
 */
export async function connect(options: GlobalOptions, environment: Environment): Promise<Connection> {
  const url = serviceUrl(options, environment);
  const apiKey = givenKey(options, environment) ?? (await localKey(url, environment));
  return { url, apiKey, pay: createPayClient({ baseUrl: url, apiKey, maxRetries: 1 }) };
}

/** The service's address, without a slash at its end. Throws CliError for text that is not an address. */
export function serviceUrl(options: GlobalOptions, environment: Environment): string {
  const text = options.url ?? setting(environment, 'PAY_PUBLIC_URL') ?? localUrl(environment);
  if (parseWebAddress(text) !== null) return text.replace(/\/+$/, '');
  throw new CliError(`"${text}" is not the address of a service. An example is https://pay.example.com.`);
}

/** The key of `--api-key` or PAY_SECRET_KEY, or null if neither is set. */
export function givenKey(options: GlobalOptions, environment: Environment): string | null {
  return options.apiKey ?? setting(environment, 'PAY_SECRET_KEY');
}

function localUrl(environment: Environment): string {
  return `http://localhost:${setting(environment, 'PORT') ?? '4242'}`;
}

function setting(environment: Environment, name: string): string | null {
  return environment[name]?.trim() || null;
}

/**
 * The test key that the service on this machine created. The key is derived from the root secret in the database, so
 * the caller needs access to the database. The key is sent to addresses of this machine only.
 */
async function localKey(url: string, environment: Environment): Promise<string> {
  const remedy = 'Give --api-key, or set PAY_SECRET_KEY.';
  if (!isThisMachine(url)) throw new CliError(`${url} needs an API key. ${remedy}`);
  if (!(await answers(url))) {
    throw new CliError(
      `No service answers at ${url}. Start it with "pay-checkout serve", or name its address with --url.`,
    );
  }
  const { findLocalKey } = await import('./machine/local-key.ts');
  const found = await findLocalKey(environment).catch((error: Error) => {
    throw new CliError(`The key of the service could not be read: ${error.message} ${remedy}`, { cause: error });
  });
  if (found === null) throw new CliError(`The key of the service at ${url} is not in the server’s database. ${remedy}`);
  return found;
}

function isThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMs);
  return await fetch(`${url}/healthz`, { signal, redirect: 'manual' }).then(
    answer => answer.ok,
    () => false,
  );
}
