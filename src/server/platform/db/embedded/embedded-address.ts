import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDurably } from '../../durable-file.ts';
import type { Account } from './embedded-account.ts';

/** A socket folder or a loopback address, and the port, which is part of the socket's name. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The path of the address's socket, or null for a loopback address. */
export function socketOf({ host, port }: Address): string | null {
  return host.startsWith('/') ? join(host, `.s.PGSQL.${port}`) : null;
}

const defaultPort = 5432;
/** Maximum bytes of a socket's path. Linux allows 108 bytes including the final NUL, and macOS 104. */
const longestSocketPath = 103;

/**
 * Finds the address for a data folder. The socket is in the data folder. If its path is too long, the socket is in a
 * private temporary folder. Windows uses a free loopback port instead of a socket. `postgres.address` stores the port
 * or the temporary folder for later starts.
 */
export async function findAddress(folder: string, account: Account): Promise<Address> {
  const memory = join(folder, 'postgres.address');
  if (process.platform === 'win32') {
    return (await recall(memory)) ?? remember(memory, { host: '127.0.0.1', port: await freePort() });
  }
  const address = { host: join(folder, 'postgres.socket'), port: defaultPort };
  if (Buffer.byteLength(socketOf(address) ?? '') <= longestSocketPath) {
    await mkdir(address.host, { recursive: true, mode: 0o700 });
    await account.own(address.host);
    return address;
  }
  const known = await recall(memory);
  if (known && (await isPrivate(known.host, account))) return known;
  const made = await mkdtemp(join(tmpdir(), 'pay-checkout-'));
  await account.own(made);
  return remember(memory, { host: made, port: defaultPort });
}

async function recall(path: string): Promise<Address | null> {
  const content = await readFile(path, 'utf8').catch(() => null);
  return content ? (JSON.parse(content) as Address) : null;
}

async function remember(path: string, address: Address): Promise<Address> {
  await writeDurably(path, JSON.stringify(address));
  return address;
}

/** Whether only the account can use the folder. Another user may have recreated a deleted temporary folder. */
async function isPrivate(path: string, account: Account): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === account.uid && (found.mode & 0o777) === 0o700;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
