import type { Command } from 'commander';
import { action } from '../context.ts';

const examples = `
Examples:
  $ pay-checkout migrate
  $ DATABASE_URL=postgres://pay:secret@db.example/pay pay-checkout migrate

"serve" migrates at its start as well. Older servers keep running unless a migration says otherwise.`;

/** `migrate`: applies the missing migrations to the database. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Apply the missing migrations to the database of DATABASE_URL or PAY_DATA_DIR')
    .addHelpText('after', examples)
    .action(
      action(async ({ environment, show }) => {
        const [{ databaseName, openMachine }, { migrateSchema }, { readConfig }] = await Promise.all([
          import('../machine/machine.ts'),
          import('../../server/open-database.ts'),
          import('../../server/settings/config.ts'),
        ]);
        const config = readConfig(environment);
        const { connection, close } = await openMachine(config);
        const { applied, version } = await migrateSchema(connection).finally(close);
        const place = databaseName(config);
        const done = applied.map(name => `  ${name}\n`).join('');
        const text =
          applied.length === 0
            ? `Nothing to do: ${place} has all migrations up to ${version}.`
            : `Applied to ${place}:\n${done}The newest migration is ${version}.`;
        show({ object: 'migration', database: place, applied, version }, text);
      }),
    );
}
