import { type Command, Option } from 'commander';
import type { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import { givenKey } from '../connection.ts';
import { action, type Context } from '../context.ts';
import { facts, table } from '../table.ts';

const examples = `
Examples:
  $ pay-checkout keys list
  $ pay-checkout keys create --type secret --name "Nightly export" --scope payments:read refunds:read
  $ pay-checkout keys create --type publishable
  $ pay-checkout keys revoke key_…

With --api-key or PAY_SECRET_KEY the command calls the API. Without a key it changes the database of this machine
(DATABASE_URL or PAY_DATA_DIR), and the keys belong to the first merchant. Use this when you lost the key.`;

/** The functions for keys. One version calls the API, the other uses this machine's database. */
interface Keys {
  create(body: CreateApiKey): Promise<ApiKey>;
  list(): Promise<readonly ApiKey[]>;
  revoke(id: string): Promise<void>;
}

/** `keys create|list|revoke`: manages API keys. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Manage API keys').addHelpText('after', examples);
  addCreate(keys);
  keys
    .command('list')
    .description('List the usable keys, newest first')
    .addHelpText('after', examples)
    .action(
      action(async context => {
        const list = await (await keysOf(context)).list();
        const rows = list.map(key => [key.id, key.type, key.hint, key.name ?? '', key.scopes.join(' ')]);
        context.show(list, table(['ID', 'TYPE', 'KEY', 'NAME', 'SCOPES'], rows));
      }),
    );
  keys
    .command('revoke')
    .argument('<key>', 'id of the key: key_…')
    .description('Revoke a key at once')
    .addHelpText('after', examples)
    .action(
      action(async (context, _options, id = '') => {
        await (await keysOf(context)).revoke(id);
        context.show({ id, object: 'api_key', deleted: true }, `Revoked ${id}.`);
      }),
    );
}

interface CreateOptions {
  readonly type: CreateApiKey['type'];
  readonly name?: string;
  readonly scope?: string[];
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create a key, and show it once')
    .addOption(new Option('--type <type>', 'what the key is for').choices(['secret', 'publishable']).default('secret'))
    .option('--name <name>', 'name that the list shows')
    .option('--scope <scopes...>', 'what the key may do, such as payments:read (default: everything)')
    .addHelpText('after', examples)
    .action(
      action<CreateOptions>(async (context, { type, name, scope }) => {
        const body = { type, ...(name !== undefined && { name }), ...(scope !== undefined && { scopes: scope }) };
        const key = await (await keysOf(context)).create(body);
        context.show(key, facts({ key: key.key ?? null, id: key.id, scopes: key.scopes.join(' ') }));
        if (!context.options.json) console.error('Keep the key now: only its hash is stored.');
      }),
    );
}

async function keysOf({ options, environment, connect }: Context): Promise<Keys> {
  if (givenKey(options, environment) === null) {
    const { localKeys } = await import('../machine/local-keys.ts');
    return localKeys(environment);
  }
  const { apiKeys } = (await connect()).pay;
  return {
    create: body => apiKeys.create(body),
    list: async () => {
      const keys: ApiKey[] = [];
      for await (const key of apiKeys.list({ limit: 100 })) keys.push(key);
      return keys;
    },
    revoke: async id => void (await apiKeys.delete(id)),
  };
}
