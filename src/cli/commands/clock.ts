import type { Command } from 'commander';
import { apiAction } from '../context.ts';

const examples = `
Examples:
  $ pay-checkout clock show
  $ pay-checkout clock advance P3D       three days; PT15M are fifteen minutes

Expiry, reminders, schedules and retries of test mode follow the clock. It never goes back.`;

/** `clock show|advance`: shows or advances the account's test clock. */
export function addClock(program: Command): void {
  const clock = program
    .command('clock')
    .description('Read or move the clock of test mode')
    .addHelpText('after', examples);
  clock
    .command('show')
    .description('Show the time of the test clock')
    .action(
      apiAction(async (pay, { show }) => {
        const answer = await pay.testHelpers.clock();
        show(answer, answer.now);
      }),
    );
  clock
    .command('advance')
    .argument('<duration>', 'ISO 8601 duration of weeks, days, hours, minutes and seconds: P3D, PT15M')
    .description('Move the test clock ahead')
    .addHelpText('after', examples)
    .action(
      apiAction(async (pay, { show }, _options, advance = '') => {
        const answer = await pay.testHelpers.advanceClock({ advance });
        show(answer, `The test clock shows ${answer.now}.`);
      }),
    );
}
