import type { Command } from 'commander';
import { action, type Context } from '../context.ts';
import type { Finding } from '../doctor/finding.ts';

const examples = `
Examples:
  $ pay-checkout doctor
  $ pay-checkout doctor --json | jq -r '.checks[] | select(.status == "fail") | .message'

Run it with the same settings as the service. Nothing is changed. The exit code is 1 if a check fails.`;

/** `doctor`: checks the service's settings, and the servers and databases that the service needs. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check settings, database, Stellar network, mobile money, rates, mail server, address, clock and disk')
    .addHelpText('after', examples)
    .action(
      action(async context => {
        const checks = await examine(context);
        const status = (['fail', 'warn'] as const).find(grade => checks.some(check => check.status === grade)) ?? 'ok';
        context.show({ object: 'doctor', status, checks }, checks.map(lineOf).join('\n'));
        if (status === 'fail') process.exitCode = 1;
      }),
    );
}

async function examine(context: Context): Promise<Finding[]> {
  const [{ checkSettings }, { checkDatabase, checkDisk }, { checkMail, checkStellar }, mobileMoney, { checkService }] =
    await Promise.all([
      import('../doctor/settings-check.ts'),
      import('../doctor/database-check.ts'),
      import('../doctor/network-check.ts'),
      import('../doctor/mobile-money-check.ts'),
      import('../doctor/service-check.ts'),
    ]);
  const { findings, config } = checkSettings(context.environment);
  if (config === null) return findings;
  const checks = [checkDatabase(config), checkService(context, config), checkStellar(config)];
  const others = [mobileMoney.checkMobileMoney(config), checkMail(config), checkDisk(config)];
  return [...findings, ...(await Promise.all([...checks, ...others])).flat()];
}

function lineOf({ status, check, message, action: remedy }: Finding): string {
  const line = `${status.padEnd(4)}  ${check.padEnd(10)}  ${message}`;
  return remedy === undefined ? line : `${line}\n${' '.repeat(18)}${remedy}`;
}
