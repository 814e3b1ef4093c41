import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP line to a server that can be cut, refused or left hanging. */
export interface FaultProxy {
  readonly port: number;
  /** Lets bytes through again. */
  heal(): void;
  /** Resets every connection and every new one. */
  cut(): void;
  /** Keeps connections open, and takes new ones, but moves no byte: a black hole. */
  stall(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port in front of a socket path or port. */
export async function startFaultProxy(target: { path: string } | { host: string; port: number }): Promise<FaultProxy> {
  let mode: 'open' | 'cut' | 'stalled' = 'open';
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer(client => {
    track(client);
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target);
    track(upstream);
    const forward = (from: Socket, to: Socket) => {
      from.on('data', bytes => mode === 'open' && to.write(bytes));
      from.on('close', () => to.destroy());
    };
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const socket of sockets) {
      if (socket.remoteAddress === undefined) socket.destroy();
      else socket.resetAndDestroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    heal: () => {
      // Bytes were lost while the line hung: what is open is of no use any more.
      if (mode === 'stalled') drop();
      mode = 'open';
    },
    cut: () => {
      mode = 'cut';
      drop();
    },
    stall: () => {
      mode = 'stalled';
    },
    close: async () => {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
