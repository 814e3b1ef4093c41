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

/** Real `User-Agent` headers. The program's name may be anywhere in the text. */
const people = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.7650',
  'Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36 [LinkedInApp]/4.1.940',
  'Mozilla/5.0 (Linux; Android 11; CUBOT KINGKONG MINI 2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 9; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 Telegram-Android/11.3.3 (Xiaomi 2201116SG; Android 14; SDK 34; HIGH)',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [FBAN/FBIOS;FBAV/468.0.0.37;FBBV/608;FBDV/iPhone15,2]',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
];
const programs = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'TelegramBot (like TwitterBot)',
  'Twitterbot/1.0',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'meta-externalagent/1.1',
  'WhatsApp/2.23.20.0',
  'Mozilla/5.0 (compatible; DotBot)',
  'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
  'curl/8.5.0',
  'python-requests/2.32.3',
];

describe('the visitors of a link', () => {
  it('are people, also with phones or apps whose name resembles a program’s', async () => {
    const opens: Record<string, number> = {};
    const links = new Map<string, string>();
    for (const agent of [...people, ...programs]) {
      const { id } = await lab.link();
      await lab.look(id, { 'user-agent': agent });
      links.set(agent, id);
    }
    await lab.sweep();
    for (const [agent, id] of links) opens[agent] = (await lab.readLink(id)).opens;
    const expected = [...people.map(agent => [agent, 1]), ...programs.map(agent => [agent, 0])];
    expect(opens).toEqual(Object.fromEntries(expected));
  });

  it('with a very long user agent cost no more than others', async () => {
    const { id } = await lab.link();
    const cpuMs = async (agent: string) => {
      const before = process.cpuUsage();
      for (let look = 0; look < 60; look++) await lab.look(id, { 'user-agent': agent });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    await cpuMs('x');
    expect(await cpuMs('compatible;'.repeat(1_300))).toBeLessThan(3 * (await cpuMs(people[0] ?? '')));
  });

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

  it('are counted again after a day, and not before', async () => {
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

  it('are limited to a household when one address uses many browsers', async () => {
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

  it('of one IPv6 network count as one network', async () => {
    const link = await lab.link();
    for (let host = 1; host <= 20; host++) await lookFrom(link.id, `2001:db8:0:7::${host}`);
    expect(await opensOf(link.id)).toBe(1);
    await lookFrom(link.id, '2001:db8:0:8::1');
    expect(await opensOf(link.id)).toBe(2);
    // Different spellings of addresses in 2001:db8:0:0::/64.
    for (const host of ['::1:2', '::2:2', ':0:0:3::4', '::5']) await lookFrom(link.id, `2001:db8${host}`);
    expect(await opensOf(link.id)).toBe(3);
    for (const address of ['::ffff:198.51.100.4', '198.51.100.4']) await lookFrom(link.id, address);
    expect(await opensOf(link.id)).toBe(4);
    // Some proxies pass on addresses with a port or brackets.
    const ports = ['198.51.100.4:4711', '[::ffff:198.51.100.4]:4712', '[2001:db8:0:8::9]:4713', '[2001:db8:0:8::a]'];
    for (const address of ports) await lookFrom(link.id, address);
    expect(await opensOf(link.id)).toBe(4);
  });

  it('that arrive together are reported together', async () => {
    const link = await lab.link();
    for (let host = 1; host <= 20; host++) await lookFrom(link.id, `203.0.113.${host}`);
    expect(await opensOf(link.id)).toBe(20);
    expect(await openedEvents(link.id)).toBe(1);
  });

  it('are not delayed by payers: a visit needs no lock on the link’s row', async () => {
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
