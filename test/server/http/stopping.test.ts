import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen, startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
let port: number;
beforeAll(async () => {
  shop = await startTestApp();
  port = await listen(shop);
});
afterAll(() => shop?.close());

/** A connection that stays open after an answer. */
async function keptConnection(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  ask(socket);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  return socket;
}

function ask(socket: Socket): void {
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
}

/** The text that arrives until the connection ends, or the error. */
async function lastWords(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const bytes of socket) text += bytes;
  } catch (error) {
    return String(error);
  }
  return text;
}

it('a stopping server answers all requests sent before, read or unread, and closes each connection', async () => {
  const sockets = await Promise.all(Array.from({ length: 40 }, keptConnection));
  const idle = await keptConnection();
  const answers = sockets.map(lastWords);
  for (const socket of sockets) ask(socket);
  await Promise.all([shop.app.stop(), expect(lastWords(idle)).resolves.toBe('')]);
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
  }
});
