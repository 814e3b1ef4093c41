import type { Command } from 'commander';
import { action } from '../context.ts';
import { table } from '../table.ts';

const examples = `
Examples:
  $ pay-checkout people list
  $ pay-checkout people reset owner@example.com

The commands work in the database of this machine (DATABASE_URL or PAY_DATA_DIR). "reset" removes codes and passkeys of
the person, ends the sessions, and prints an address at which the person chooses a new password within an hour.`;

/** `people list|reset`: helps a person who cannot sign in to the dashboard any more. */
export function addPeople(program: Command): void {
  const people = program
    .command('people')
    .description('See who may sign in to the dashboard, and let a person in again')
    .addHelpText('after', examples);
  people
    .command('list')
    .description('List the people who may sign in')
    .action(
      action(async ({ environment, show }) => {
        const { listPeople } = await import('../machine/local-people.ts');
        const list = await listPeople(environment);
        const rows = list.map(person => [person.id, person.email ?? '', person.name ?? '', person.roles.join(' ')]);
        show(list, table(['ID', 'E-MAIL', 'NAME', 'ROLES'], rows));
      }),
    );
  people
    .command('reset')
    .argument('<person>', 'e-mail address or id of the person')
    .description('Remove the sign-in of a person, and print an address for a new password')
    .addHelpText('after', examples)
    .action(
      action(async ({ environment, show }, _options, person = '') => {
        const { resetPerson } = await import('../machine/local-people.ts');
        const answer = await resetPerson(environment, person);
        show(answer, answer.url);
      }),
    );
}
