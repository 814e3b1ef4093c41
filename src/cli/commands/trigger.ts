import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { apiAction } from '../context.ts';

const examples = `
Examples:
  $ pay-checkout trigger payment.completed
  $ pay-checkout trigger --list

The event is a sample: it is listed, streamed and delivered like any other, and no object changes.`;

/** `trigger`: a sample event of any type, in test mode. */
export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .argument('[type]', 'type of the event, such as payment.completed')
    .option('--list', 'list all types of events')
    .description('Send a sample event to the webhook endpoints and to "listen"')
    .addHelpText('after', examples)
    .action(
      apiAction<{ list?: boolean }>(async (pay, { show }, { list }, type) => {
        if (list) {
          const types = await pay.events.types();
          show(types, types.join('\n'));
          return;
        }
        if (type === undefined) throw new UsageError('Which event? "pay-checkout trigger --list" lists the types.');
        const event = await pay.testHelpers.triggerEvent({ type });
        show(event, `Triggered ${event.type}: ${event.id}`);
      }),
    );
}
