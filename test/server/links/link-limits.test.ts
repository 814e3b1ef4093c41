import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LinkLab, payer, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(() => lab?.close());

const startFrom = (url: string, remoteAddress: string, headers: Record<string, string> = {}) =>
  lab.app.http.inject({
    method: 'POST',
    url,
    remoteAddress,
    payload: { customer: payer },
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('the Idempotency-Key of a link’s payer', () => {
  it('is the payer’s own: another guest with the same key receives no data of the first payment', async () => {
    const { id } = await lab.link();
    const url = `/v1/payment-links/${id}/payments`;
    const ask = (address: string, agent: string) =>
      startFrom(url, address, { 'idempotency-key': 'order-1', 'user-agent': agent });
    const mine = (await ask('198.51.100.1', 'Mozilla/5.0 Firefox/140.0')).json();
    const again = await ask('198.51.100.1', 'Mozilla/5.0 Firefox/140.0');
    expect([again.json(), again.headers['idempotent-replayed']]).toEqual([mine, 'true']);
    for (const [address, agent] of [
      ['198.51.100.2', 'Mozilla/5.0 Firefox/140.0'],
      ['198.51.100.1', 'Mozilla/5.0 Chrome/140.0'],
    ] as const) {
      const other = await ask(address, agent);
      expect([other.statusCode, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expect(other.json().id).not.toBe(mine.id);
      expect(other.payload).not.toContain(mine.client_secret);
    }
  });
});

/** Many people behind one address may pay at the same time, but a script must wait. */
describe('the rate limit for payments of a link from one address', () => {
  it('allows a hundred at once, then a slow rate, and does not affect other links', async () => {
    const paths: string[] = [];
    for (const { id } of [await lab.link(), await lab.link()]) paths.push(`/v1/payment-links/${id}/payments`);
    const [rushed, calm] = paths as [string, string];
    const start = () => startFrom(rushed, '203.0.113.7');
    const began = performance.now();
    const statuses: number[] = [];
    for (let turn = 0; turn < 170; turn++) statuses.push((await start()).statusCode);
    const refilled = Math.ceil((performance.now() - began) / 2_000);
    const made = statuses.filter(status => status === 201).length;
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
    expect(made).toBeGreaterThanOrEqual(120);
    expect(made).toBeLessThanOrEqual(120 + refilled);
    // A slow call may find a refilled token.
    let refused = await start();
    for (let turn = 0; turn < 20 && refused.statusCode === 201; turn++) refused = await start();
    expect(refused.json().error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limited', param: null });
    expect(Number(refused.headers['retry-after'])).toBe(2);
    expect((await startFrom(calm, '203.0.113.7')).statusCode).toBe(201);
    expect((await startFrom(rushed, '203.0.113.8')).statusCode).toBe(201);
    const asMerchant = { authorization: `Bearer ${lab.merchant.secretKey}` };
    expect((await startFrom(rushed, '203.0.113.7', asMerchant)).statusCode).toBe(201);
  });
});
