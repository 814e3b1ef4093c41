import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LinkLab, phone, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(() => lab.close());

const desktop = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
const opensOf = async (id: string) => {
  await lab.sweep();
  return (await lab.readLink(id)).opens;
};
const openedEvents = async (id: string) =>
  (await lab.eventsOf(id)).filter(type => type === 'payment_link.opened').length;
const lookFrom = (id: string, remoteAddress: string, headers = phone as Record<string, string>) =>
  lab.app.http.inject({ method: 'GET', url: `/v1/payment-links/${id}`, remoteAddress, headers });

describe('the visitors of a link', () => {
  it('are counted once a day for each browser, and not for programs', async () => {
    const link = await lab.link();
    await lab.look(link.id);
    await lab.look(link.id);
    await lab.look(link.id, { 'user-agent': 'WhatsApp/2.23' });
    await lab.look(link.id, { ...phone, 'sec-purpose': 'prefetch' });
    await lab.look(link.id, { ...phone, 'x-purpose': 'preview' });
    expect(await opensOf(link.id)).toBe(1);
    await lab.look(link.id, desktop);
    expect(await opensOf(link.id)).toBe(2);
    expect(await openedEvents(link.id)).toBe(2);
  });

  it('are counted again when a day is over, and not before', async () => {
    const link = await lab.link();
    await lab.look(link.id);
    expect(await opensOf(link.id)).toBe(1);
    for (const hours of [2, 10, 11]) {
      lab.clock.advance(hours * 3_600);
      await lab.look(link.id);
      expect(await opensOf(link.id)).toBe(1);
    }
    lab.clock.advance(3_599);
    await lab.look(link.id);
    expect(await opensOf(link.id)).toBe(1);
    lab.clock.advance(1);
    await lab.look(link.id);
    expect(await opensOf(link.id)).toBe(2);
  });

  it('are no more than a household where one address calls itself many browsers', async () => {
    const link = await lab.link();
    for (let agent = 0; agent < 40; agent++)
      await lookFrom(link.id, '203.0.113.7', { 'user-agent': `Mozilla/${agent}` });
    expect(await opensOf(link.id)).toBe(5);
    expect(await openedEvents(link.id)).toBeLessThanOrEqual(5);
    const { rows } = await lab.database.pool.query('select 1 from payment_link_visits where link_id = $1', [link.id]);
    expect(rows).toHaveLength(5);
    lab.clock.advance(2 * 3_600);
    await lookFrom(link.id, '203.0.113.7', desktop);
    expect(await opensOf(link.id)).toBe(5);
    await lookFrom(link.id, '203.0.113.8');
    expect(await opensOf(link.id)).toBe(6);
  });

  it('of one IPv6 network are one network’s', async () => {
    const link = await lab.link();
    for (let host = 1; host <= 20; host++) await lookFrom(link.id, `2001:db8:0:7::${host}`);
    expect(await opensOf(link.id)).toBe(1);
    await lookFrom(link.id, '2001:db8:0:8::1');
    expect(await opensOf(link.id)).toBe(2);
    // However it is written: all of these are in 2001:db8:0:0::/64, and the last two one IPv4 address.
    for (const host of ['::1:2', '::2:2', ':0:0:3::4', '::5']) await lookFrom(link.id, `2001:db8${host}`);
    expect(await opensOf(link.id)).toBe(3);
    for (const address of ['::ffff:198.51.100.4', '198.51.100.4']) await lookFrom(link.id, address);
    expect(await opensOf(link.id)).toBe(4);
  });

  it('who come together are told of together', async () => {
    const link = await lab.link();
    for (let host = 1; host <= 20; host++) await lookFrom(link.id, `203.0.113.${host}`);
    expect(await opensOf(link.id)).toBe(20);
    expect(await openedEvents(link.id)).toBe(1);
  });

  it('do not wait for those who are paying: the link’s row is not needed to let one in', async () => {
    const link = await lab.link();
    const busy = await lab.database.pool.connect();
    try {
      await busy.query('begin');
      await busy.query('select 1 from payment_links where id = $1 for update', [link.id]);
      const answer = await Promise.race([lab.look(link.id), new Promise(done => setTimeout(done, 3_000))]);
      expect(answer).toMatchObject({ status: 200 });
    } finally {
      await busy.query('rollback');
      busy.release();
    }
    expect(await opensOf(link.id)).toBe(1);
  });
});
