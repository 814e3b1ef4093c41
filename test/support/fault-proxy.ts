import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a server. A test can reset, refuse or stall its connections. */
export interface FaultProxy {
  readonly port: number;
  /** Forwards bytes again, after `cut` or `stall`. */
  heal(): void;
  /** Resets all connections, including new ones. */
  cut(): void;
  /** Keeps old connections and accepts new ones, but forwards no bytes. */
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
      // The stalled connections have lost bytes and are therefore useless.
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
