import type { Command } from 'commander';
import { describeSettings } from '../../server/settings/config.ts';
import { action } from '../context.ts';

/** `serve`: runs the service. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM or SIGINT')
    .addHelpText(
      'after',
      () => `
Examples:
  $ pay-checkout serve
  $ PORT=8080 PAY_DATA_DIR=/var/lib/pay-checkout pay-checkout serve

The settings are environment variables (their defaults in brackets):

${describeSettings()}`,
    )
    .action(
      action(async () => {
        const { serve } = await import('../../server/serve.ts');
        await serve();
      }),
    );
}
