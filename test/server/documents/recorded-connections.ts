import diagnostics from 'node:diagnostics_channel';
import net from 'node:net';

/** Records the connections that this process opens. `end` returns one text for each. */
export function recordConnections(): { end: () => string[] } {
  const seen: string[] = [];
  const note = (message: unknown) => seen.push(JSON.stringify(message, ['address', 'port', 'origin', 'path']));
  const channels = ['net.client.socket', 'undici:request:create', 'http.client.request.start'];
  for (const name of channels) diagnostics.subscribe(name, note);
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    seen.push('connect');
    return Reflect.apply(connect, this, args) as net.Socket;
  } as typeof connect;
  return {
    end: () => {
      net.Socket.prototype.connect = connect;
      for (const name of channels) diagnostics.unsubscribe(name, note);
      return seen;
    },
  };
}
