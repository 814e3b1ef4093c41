import { publicPassphrase, testPassphrase } from '../../core/stellar/stellar-network.ts';
import { horizonUrlOf } from '../../server/compose/create-stellar.ts';
import { verifyMailServer } from '../../server/platform/mail/smtp-transport.ts';
import type { Config } from '../../server/settings/config.ts';
import { reasonOf } from '../cli-error.ts';
import { type Finding, findingsOf, patienceMs } from './finding.ts';

const stellar = findingsOf('stellar');
const mail = findingsOf('mail');

/** Checks that the Stellar servers answer, and that they belong to the network of the settings. */
export async function checkStellar(config: Config): Promise<Finding[]> {
  const { stellarRpcUrl } = config;
  const horizonUrl = horizonUrlOf(config);
  if (horizonUrl === null) return [stellar.ok('the sandbox network runs inside the service')];
  const horizon = checkServer(config, `Horizon ${horizonUrl}`, 'PAY_HORIZON_URL', async () => {
    const answer = await askJson(`${horizonUrl}/`, {});
    return answer['network_passphrase'];
  });
  if (stellarRpcUrl === null) return [await horizon];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getNetwork' });
  const rpc = checkServer(config, `RPC ${stellarRpcUrl}`, 'PAY_STELLAR_RPC_URL', async () => {
    const answer = await askJson(stellarRpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (answer['result'] as { readonly passphrase?: unknown } | undefined)?.passphrase;
  });
  return await Promise.all([horizon, rpc]);
}

async function checkServer(
  { network }: Config,
  name: string,
  variable: string,
  passphraseOf: () => Promise<unknown>,
): Promise<Finding> {
  try {
    const expected = network === 'public' ? publicPassphrase : testPassphrase;
    if ((await passphraseOf()) === expected) return stellar.ok(`${name} answers for ${network}`);
    return stellar.fail(`${name} serves another network.`, `Set ${variable} to a server of ${network}.`);
  } catch (error) {
    return stellar.fail(`${name} does not answer: ${reasonOf(error)}`, `Check the connection, or set ${variable}.`);
  }
}

async function askJson(url: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return await answer.json().catch(cause => {
    throw new Error('its answer is not JSON', { cause });
  });
}

/** Checks that the mail server accepts a connection and the login. Sends no mail. */
export async function checkMail({ smtpUrl, network }: Config): Promise<Finding[]> {
  if (smtpUrl === null) {
    if (network !== 'public') return [mail.ok('SMTP_URL is not set: mails of test mode appear at /sandbox/outbox')];
    return [mail.warn('SMTP_URL is not set: mails wait.', 'Set SMTP_URL to your mail server.')];
  }
  const problem = await verifyMailServer(smtpUrl, patienceMs);
  const { host } = new URL(smtpUrl);
  if (problem === null) return [mail.ok(`${host} accepts the connection and the login`)];
  return [mail.fail(`${host} refuses: ${problem}`, 'Check SMTP_URL: scheme, host, port, user and password.')];
}
