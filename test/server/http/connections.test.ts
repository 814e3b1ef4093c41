import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
let port: number;
beforeAll(async () => {
  shop = await startTestApp();
  port = await listen(shop);
});
afterAll(() => shop?.close());

/** Sends the text unchanged. Resolves to the whole answer when the connection ends. */
function talk(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', bytes => {
      answer += bytes;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const jsonOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('a connection', () => {
  it.each([
    ['no HTTP at all', 'HELLO\r\n\r\n'],
    ['a header with a line break inside', 'GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\rb\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('that sends %s gets a 400 in the usual form, and is closed', async (_, text) => {
    const answer = await talk(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const { error } = jsonOf(answer);
    expect([error.type, error.code]).toEqual(['invalid_request_error', 'malformed_request']);
    expect(answer).toContain(`Request-Id: ${error.request_id}`);
  });

  it('that names its host twice is refused', async () => {
    const answer = await talk('GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(jsonOf(answer).error.code).toBe('malformed_request');
  });

  it('that sends its headers too slowly or not at all is closed within ten seconds, and delays no others', async () => {
    const began = performance.now();
    const silent = talk('');
    const slow = Array.from({ length: 500 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      const text = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaa';
      let sent = 0;
      const timer = setInterval(() => socket.write(text[sent++] ?? 'a'), 1_000);
      return new Promise<void>(resolve => {
        socket.on('close', () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
    const others = [];
    for (let i = 0; i < 50; i++) {
      const start = performance.now();
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      others.push(performance.now() - start);
    }
    expect(others.sort((a, b) => a - b)[45]).toBeLessThan(250);
    await Promise.all([silent, ...slow]);
    expect(performance.now() - began).toBeLessThan(10_000);
  }, 20_000);
});
