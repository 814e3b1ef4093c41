import { setTimeout as sleep } from 'node:timers/promises';
import { Asset, type Keypair, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StellarLab, type StellarServer, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let payer: Keypair;

beforeAll(async () => {
  lab = await startStellarLab();
  payer = await lab.newAccount();
}, 60_000);
afterAll(() => lab.close());

const pay = (to: Keypair, amount: string) =>
  lab.send(payer, [Operation.payment({ destination: to.publicKey(), asset: Asset.native(), amount })]);

/** Reads a stream until `enough` returns true, then disconnects. */
async function listen(server: StellarServer, path: string, enough: (text: string) => boolean): Promise<string> {
  const cut = new AbortController();
  const response = await fetch(server.url + path, { headers: { accept: 'text/event-stream' }, signal: cut.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString();
    if (enough(text)) break;
  }
  cut.abort();
  return text;
}

describe('a stream', () => {
  it('starts with hello, sends each record with its paging token, and ends with byebye after the limit', async () => {
    const payee = await lab.newAccount();
    const path = `/accounts/${payee.publicKey()}/payments?limit=2`;
    const heard = listen(lab, path, text => text.includes('byebye'));
    const { hash } = await pay(payee, '1.5');
    const text = await heard;
    expect(text.startsWith('retry: 1000\nevent: open\ndata: "hello"\n\n')).toBe(true);
    expect(text.endsWith('\n\nretry: 10\nevent: close\ndata: "byebye"\n\n')).toBe(true);
    const messages = [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({
      id,
      ...JSON.parse(data ?? ''),
    }));
    expect(messages.map(({ type }) => type)).toEqual(['create_account', 'payment']);
    expect(messages[1]).toMatchObject({ paging_token: messages[1]?.id, amount: '1.5000000', transaction_hash: hash });
  });

  it('starts with the next record when the cursor is `now`', async () => {
    const payee = await lab.newAccount();
    await pay(payee, '1');
    const heard = listen(lab, `/accounts/${payee.publicKey()}/payments?cursor=now`, text => text.includes('id: '));
    await sleep(200);
    await pay(payee, '2');
    const text = await heard;
    expect(text).toContain('"amount":"2.0000000"');
    expect(text).not.toContain('"amount":"1.0000000"');
  });

  it('continues after the client’s last event id', async () => {
    const payee = await lab.newAccount();
    await pay(payee, '1');
    await pay(payee, '2');
    const { records } = await lab.sdk.payments().forAccount(payee.publicKey()).call();
    const response = await fetch(`${lab.url}/accounts/${payee.publicKey()}/payments?limit=1`, {
      headers: { accept: 'text/event-stream', 'last-event-id': records[1]?.paging_token ?? '' },
    });
    const text = await response.text();
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual([records[2]?.paging_token]);
  });

  it('of ledgers continues while the network is idle', async () => {
    const text = await listen(lab, '/ledgers?cursor=now', heard => heard.includes('id: '));
    expect(JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}')).toMatchObject({ operation_count: 0 });
  }, 15_000);

  it('of an invalid request is a problem document', async () => {
    const response = await fetch(`${lab.url}/payments?cursor=x`, { headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
    ]);
    const list = await fetch(`${lab.url}/assets`, { headers: { accept: 'text/event-stream' } });
    expect(list.status).toBe(406);
  });

  it('read with the SDK misses and repeats nothing when another server takes over', async () => {
    const payee = await lab.newAccount();
    const amounts: string[] = [];
    const follow = (server: StellarServer, cursor: string) => {
      let last = cursor;
      const stop = server.sdk
        .payments()
        .forAccount(payee.publicKey())
        .cursor(cursor)
        .stream({
          onmessage: record => {
            last = record.paging_token;
            if ('amount' in record) amounts.push(record.amount);
          },
        });
      return { stop, cursor: () => last };
    };
    const second = await lab.anotherServer();
    const { paging_token: start = '' } =
      (await lab.sdk.payments().forAccount(payee.publicKey()).call()).records[0] ?? {};
    const first = follow(second, start);
    await pay(payee, '1');
    await pay(payee, '2');
    await expect.poll(() => amounts.length, { timeout: 5_000 }).toBe(2);
    await second.stop();
    first.stop();
    await pay(payee, '3');
    const third = await lab.anotherServer();
    const again = follow(third, first.cursor());
    await pay(payee, '4');
    await expect.poll(() => amounts.length, { timeout: 5_000 }).toBe(4);
    again.stop();
    await third.stop();
    expect(amounts).toEqual(['1.0000000', '2.0000000', '3.0000000', '4.0000000']);
  }, 30_000);
});
