import { type MobileMoneyLogin, mobileMoneyLogins } from '../../server/compose/mobile-money.ts';
import { createHttpExchange } from '../../server/platform/http-exchange.ts';
import type { Config } from '../../server/settings/config.ts';
import { type Finding, findingsOf, patienceMs } from './finding.ts';

const mobileMoney = findingsOf('mobile');

/** Checks that each configured mobile-money operator gives a token. Connectors exist on the public network only. */
export async function checkMobileMoney(config: Config): Promise<Finding[]> {
  if (config.network !== 'public') return [];
  const http = createHttpExchange({ timeoutMs: patienceMs });
  try {
    return await Promise.all(mobileMoneyLogins(config, http).map(checkLogin));
  } finally {
    http.close();
  }
}

async function checkLogin({ name, url, settings, login }: MobileMoneyLogin): Promise<Finding> {
  const problem = await login();
  if (problem === null) return mobileMoney.ok(`${name} at ${url} accepts the login`);
  return mobileMoney.fail(`${problem} (${url})`, `Check ${settings.join(', ')}, the address and the connection.`);
}
