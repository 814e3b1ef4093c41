import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { browserDir } from '../support/built.ts';
import { type Attack, createAttack } from './hostile-attack.ts';
import { beginPart, report, roundSeconds } from './round.ts';

/** Most inputs to one operation. Rounds with other seeds choose others. */
const mostInputs = roundSeconds === null ? 500 : 15;

let shop: TestApp;
let port: number;
let attack: Attack;

beforeAll(async () => {
  const limits = { PAY_RATE_LIMIT: '0', PAY_CLIENT_RATE_LIMIT: '0' };
  shop = await startTestApp({
    browserDir,
    settings: { ...limits, PAY_WEBHOOK_ALLOW_LOOPBACK: '0', PAY_LOG_LEVEL: 'error' },
  });
  port = await listen(shop);
  await shop.sweep();
  attack = await createAttack(shop);
}, 120_000);

afterAll(() => shop?.close());

describe('the HTTP API', () => {
  it('refuses a hostile value at any place of any body, or keeps it as a harmless text', async () => {
    const { complaints, counts } = attack;
    const part = beginPart(0.06);
    const withBody = attack.operations.filter(({ example }) => example !== null);
    await attack.each(withBody, part, operation => attack.onFields(operation, mostInputs, part));
    const to = `${counts.inputs.toLocaleString('en')} hostile inputs to ${counts.operations} operations`;
    report(`${to}, ${counts.accepted.toLocaleString('en')} accepted, ${complaints.length} complaints`);
    expect(complaints).toEqual([]);
  }, 600_000);

  it('finds no object for a foreign id, and serves no foreign key', async () => {
    const { complaints, counts } = attack;
    Object.assign(counts, { inputs: 0, operations: 0 });
    const known = complaints.length;
    await attack.each(attack.operations, beginPart(0.02), attack.onAccess);
    report(`${counts.inputs.toLocaleString('en')} foreign ids and keys to ${counts.operations} operations`);
    expect(complaints.slice(known)).toEqual([]);
  }, 600_000);

  const large = 17 * 1024 * 1024;
  it.each([
    ['two Host headers', 'Host: b\r\nContent-Length: 2\r\n\r\n{}', 400],
    ['a body of 17 MB', `Content-Length: ${large}\r\n\r\n${' '.repeat(large)}`, 413],
    [
      '17 MB in chunks',
      `Transfer-Encoding: chunked\r\n\r\n${large.toString(16)}\r\n${' '.repeat(large)}\r\n0\r\n\r\n`,
      413,
    ],
  ])('refuses %s on the wire', async (_, rest, status) => {
    const key = `Authorization: Bearer ${attack.stranger.merchant.secretKey}`;
    const head = [
      'POST /v1/payouts/bulk HTTP/1.1',
      'Host: a',
      key,
      'Content-Type: application/json',
      'Connection: close',
    ];
    const answer = await talk(`${head.join('\r\n')}\r\n${rest}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error.type).toBe('invalid_request_error');
  });

  it('keeps the books sound', async () => {
    // Operators of mobile money are asked for the outcome a minute later.
    for (let turn = 0; turn < 4; turn++) {
      shop.clock.advance(60);
      await shop.sweep();
    }
    expect(await findUnsoundBooks(shop.database.pool, shop.clock.now())).toEqual({});
  }, 120_000);
});

/** Sends the text unchanged. Resolves to the answer when the connection ends. */
function talk(text: string): Promise<string> {
  return new Promise(resolve => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', bytes => {
      answer += bytes;
    });
    // The server may close the connection before it has read the whole body.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
