import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { sentenceOf, UsageError } from './cli-error.ts';
import { addClock } from './commands/clock.ts';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addKeys } from './commands/keys.ts';
import { addListen } from './commands/listen.ts';
import { addLogs } from './commands/logs.ts';
import { addMigrate } from './commands/migrate.ts';
import { addPayments } from './commands/payments.ts';
import { addPeople } from './commands/people.ts';
import { addRamps } from './commands/ramps.ts';
import { addServe } from './commands/serve.ts';
import { addTrigger } from './commands/trigger.ts';
import { plainText } from './plain-text.ts';

/** The functions that add the commands, in the order of the help. */
const commands = [
  addServe,
  addMigrate,
  addDoctor,
  addKeys,
  addPeople,
  addListen,
  addTrigger,
  addLogs,
  addPayments,
  addRamps,
  addClock,
  addCompletion,
];

const examples = `
Examples:
  $ pay-checkout                                             starts the service, as "serve" does
  $ pay-checkout payments create --amount 4200 --currency EUR --email ada@example.com
  $ pay-checkout listen --forward-to localhost:3000/webhooks
  $ pay-checkout trigger payment.completed

Without --api-key and PAY_SECRET_KEY, the test key of a service on this machine is used. It is read from the database
of PAY_DATA_DIR (./data) or DATABASE_URL. "pay-checkout serve --help" lists all settings.`;

/** The exit code for a wrong command line. */
const wrongUsage = 2;

/**
 * Runs the command line, and sets the exit code of the process: 0, 1 after an error, 2 for a wrong command line.
 * Without arguments, runs `serve`.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  process.stdout.on('error', endWithReader);
  try {
    await createProgram().parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage;
    else {
      console.error(plainText(sentenceOf(error)));
      process.exitCode = error instanceof UsageError ? wrongUsage : 1;
    }
  }
}

/** Ends without an error if the reader of the output has ended, as `head` does. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
}

function createProgram(): Command {
  const program = new Command('pay-checkout')
    .description('Runs the payment service pay-checkout, and works with it from the command line.')
    .version(packageVersion(), '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addOption(new Option('--json', 'write JSON only: one value, or one value a line'))
    .addOption(new Option('--api-key <key>', 'secret key of the account (default: PAY_SECRET_KEY)'))
    .addOption(
      new Option('--url <url>', 'address of the service (default: PAY_PUBLIC_URL, or port PORT of this machine)'),
    )
    .addHelpText('after', examples)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) })
    .exitOverride();
  for (const add of commands) add(program);
  return program;
}

/** The parser's error message in one line. */
function asSentence(text: string): string {
  return `${text
    .replace(/^error: /, '')
    .trim()
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^./, first => first.toUpperCase())}. "pay-checkout help" lists the commands.\n`;
}

/** The version in the package.json of this package. */
function packageVersion(): string {
  const file = join(import.meta.dirname, '../../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
