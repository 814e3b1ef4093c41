import type { Config } from '../../server/settings/config.ts';
import { reasonOf } from '../cli-error.ts';
import { serviceUrl } from '../connection.ts';
import type { Context } from '../context.ts';
import { type Finding, findingsOf, patienceMs } from './finding.ts';

const service = findingsOf('service');
const address = findingsOf('public url');
const rates = findingsOf('rates');

/** Checks the public address, the state that the running service reports, and its rates. */
export async function checkService(context: Context, config: Config): Promise<Finding[]> {
  const url = serviceUrl(context.options, context.environment);
  const readiness = await readReadiness(url);
  const findings = [addressFinding(url, config), ...readinessFindings(url, readiness)];
  return [
    ...findings,
    readiness instanceof Error ? unchecked('the service does not answer') : await checkRates(context),
  ];
}

function addressFinding(url: string, { network, publicUrl }: Config): Finding {
  if (network === 'public' && publicUrl === null) {
    return address.fail('PAY_PUBLIC_URL is not set.', 'Set it to the https address that payers use.');
  }
  if (network === 'public' && url.startsWith('http:')) {
    return address.fail(
      `${url} is not encrypted.`,
      'Put a proxy with a certificate in front, and use its https address.',
    );
  }
  return address.ok(url);
}

interface Readiness {
  readonly status: string;
  readonly remarks?: readonly string[];
}

/**
 * Reads the answer of /readyz, which may have status 503. Returns an Error if there is no answer, or if the answer is
 * not from the service.
 */
async function readReadiness(url: string): Promise<Readiness | Error> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(patienceMs), redirect: 'manual' });
    const body = (await answer.json()) as Partial<Readiness>;
    if (typeof body.status !== 'string') throw new Error(`status ${answer.status}, and not the answer of the service`);
    return { ...body, status: body.status };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function readinessFindings(url: string, readiness: Readiness | Error): Finding[] {
  if (readiness instanceof Error) {
    const action = 'Start it with "pay-checkout serve", or correct PAY_PUBLIC_URL, --url or the proxy in front of it.';
    return [service.fail(`No service answers at ${url}: ${reasonOf(readiness)}`, action)];
  }
  const { status, remarks = [] } = readiness;
  const action = 'See "Monitor" in docs/operating.md.';
  return [
    status === 'ready' ? service.ok('runs and is ready') : service.fail(`It is not ready: ${status}.`, action),
    ...remarks.map(remark => service.warn(remark, action)),
  ];
}

async function checkRates({ connect }: Context): Promise<Finding> {
  try {
    const { pay } = await connect();
    const { settlement } = await pay.account.retrieve();
    const pair = { from: 'EUR', to: settlement.asset };
    const { rate } = await pay.rates.retrieve(pair);
    return rates.ok(`1 ${pair.from} is ${rate} ${pair.to}`);
  } catch (error) {
    if (error instanceof Error && error.name === 'CliError') return unchecked(error.message);
    return rates.fail(`The service has no rate: ${reasonOf(error)}`, 'See the log of the service, and PAY_ECB_URL.');
  }
}

function unchecked(reason: string): Finding {
  return rates.warn(`Not checked: ${reason.replace(/\.$/, '')}.`, 'Run the service, and give a key of it.');
}
