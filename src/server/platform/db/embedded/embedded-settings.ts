import { type Address, socketOf } from './embedded-address.ts';

/** The role the service connects as. It is no superuser: not even its password reaches files or programs. */
export const role = 'pay';
/** The database the service keeps everything in. */
export const database = 'pay';

/** Only the service's role may come in, and only with its password. */
export const hostAccess = `# type database user address method
local all ${role} scram-sha-256
host all ${role} 127.0.0.1/32 scram-sha-256
`;

/** The line at the end of postgresql.conf; what an operator writes below it wins. */
export const includeLine = `
include_if_exists = 'pay-checkout.conf' # written at every start; put settings of your own below
`;

/** Makes the service's role and database in a new cluster. */
export function creationSql(password: string): string {
  return `create role ${role} login createdb password '${password}';\ncreate database ${database} owner ${role};\n`;
}

/** The server's settings: durable, small, and listening nowhere but where the service looks. */
export function serverSettings(address: Address): string {
  const socket = socketOf(address);
  const settings: Record<string, string | number> = {
    listen_addresses: socket ? '' : address.host,
    // Quoted, because the setting is a list separated by commas.
    unix_socket_directories: socket ? `"${address.host}"` : '',
    unix_socket_permissions: '0700',
    port: address.port,
    password_encryption: 'scram-sha-256',
    max_connections: 200,
    shared_buffers: '32MB',
    wal_buffers: '8MB',
    io_method: 'sync',
    jit: 'off',
    max_logical_replication_workers: 0,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // What payers typed stays out of the log: no statement, no row that broke a constraint.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
    .join('');
}
