import { type Config, ConfigError, readConfig, settings, strangeSettings } from '../../server/settings/config.ts';
import type { Environment } from '../machine/machine.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warn, fail } = findingsOf('settings');
const list = '"pay-checkout serve --help" lists the settings.';

/** Reads the settings as the service does. If `config` is null, no other check can run. */
export function checkSettings(environment: Environment): { findings: Finding[]; config: Config | null } {
  const unknown = strangeSettings(environment).map(name =>
    warn(`${name} is not a setting.`, `Remove it, or correct its name. ${list}`),
  );
  try {
    const config = readConfig(environment);
    const given = Object.values(settings).filter(({ name }) => environment[name]?.trim());
    const names = given.length === 0 ? 'no settings, all defaults' : given.map(({ name }) => name).join(', ');
    return { findings: [ok(`network ${config.network}; ${names}`), ...unknown], config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.message.split('\n').slice(1);
    return { findings: [...problems.map(problem => fail(problem.trim(), `Correct it. ${list}`))], config: null };
  }
}
