import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from './embedded-account.ts';

/** Where the server listens: a folder for its socket, or a loopback address; and the port, which also names the socket. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The file of the address's socket, or null where the address has none. */
export function socketOf({ host, port }: Address): string | null {
  return host.startsWith('/') ? join(host, `.s.PGSQL.${port}`) : null;
}

const defaultPort = 5432;
/** Linux takes 108 bytes with the final NUL, macOS 104. */
const longestSocketPath = 103;

/**
 * Finds the address for a data folder, the same at every start. The socket lives in the data folder, or in a private
 * temporary folder where that path is too long for a socket. Without sockets (Windows) the address is a free loopback
 * port. `postgres.address` remembers the last two.
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

/** In a shared temporary folder, another user may have taken the name of a deleted folder. */
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

/** Writes a file that only its owner may read, and returns when the disk has it. */
export async function writeDurably(path: string, content: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder (creations, renames) last through a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and keeps its names in a journal of its own.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
