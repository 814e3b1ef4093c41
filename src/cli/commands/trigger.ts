import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { action } from '../context.ts';

const examples = `
Examples:
  $ pay-checkout trigger payment.completed
  $ pay-checkout trigger --list

The event is a sample: it is listed, streamed and delivered like any other, and no object changes.`;

/** `trigger`: sends a sample event of any type, in test mode. */
export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .argument('[type]', 'type of the event, such as payment.completed')
    .option('--list', 'list all types of events')
    .description('Send a sample event to the webhook endpoints and to "listen"')
    .addHelpText('after', examples)
    .action(
      action<{ list?: boolean }>(async ({ connect, show }, { list }, type) => {
        if (!list && type === undefined) {
          throw new UsageError('Which event? "pay-checkout trigger --list" lists the types.');
        }
        const { pay } = await connect();
        if (list || type === undefined) {
          const types = await pay.events.types();
          show(types, types.join('\n'));
          return;
        }
        const event = await pay.testHelpers.triggerEvent({ type });
        show(event, `Triggered ${event.type}: ${event.id}`);
      }),
    );
}
