import type { Command } from 'commander';
import type { PayClient } from '../api/client.ts';
import { type Connection, connect, type GlobalOptions } from './connection.ts';
import type { Environment } from './machine/machine.ts';
import { plainJson, plainText } from './plain-text.ts';

/** The data and functions that each command receives. */
export interface Context {
  readonly options: GlobalOptions;
  readonly environment: Environment;
  /** Writes a result: with `--json`, `value` as one line of JSON; otherwise `text`. */
  show(value: unknown, text: string): void;
  /**
   * Connects to the service with the key of the options, the environment or this machine's database. Throws CliError if
   * there is no key.
   */
  connect(): Promise<Connection>;
}

/** Runs a command's work with its context, its own options and its arguments. */
export function action<Options = object>(
  work: (context: Context, options: Options & GlobalOptions, ...operands: string[]) => Promise<void>,
): (...parameters: unknown[]) => Promise<void> {
  return async (...parameters) => {
    const command = parameters.at(-1) as Command;
    const options = command.optsWithGlobals<Options & GlobalOptions>();
    await work(contextOf(options), options, ...command.args);
  };
}

/** Like `action`, but connects to the service first and passes its client. */
export function apiAction<Options = object>(
  work: (pay: PayClient, context: Context, options: Options & GlobalOptions, ...operands: string[]) => Promise<void>,
): (...parameters: unknown[]) => Promise<void> {
  return action<Options>(async (context, options, ...operands) => {
    const { pay } = await context.connect();
    await work(pay, context, options, ...operands);
  });
}

function contextOf(options: GlobalOptions): Context {
  const environment = process.env;
  return {
    options,
    environment,
    show: (value, text) => console.log(options.json ? plainJson(value) : plainText(text)),
    connect: () => connect(options, environment),
  };
}
