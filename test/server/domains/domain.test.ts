import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Domain } from '../../../src/api/dashboard/domain.ts';
import { createDomainDirectory } from '../../../src/server/domains/domain-directory.ts';
import { createLive } from '../../../src/server/platform/events/live.ts';
import type { TestMerchant } from '../../support/app.ts';
import { type DomainLab, startDomainLab } from './domain-lab.ts';

let lab: DomainLab;
let other: TestMerchant;
beforeAll(async () => {
  lab = await startDomainLab();
  other = await lab.addMerchant({ supportEmail: 'owner@other.example' });
});
afterAll(() => lab?.close());

const hour = 3_600;
let number = 0;
const newName = () => `pay${++number}.shop.example`;
const dnsError = Object.assign(new Error('no answer'), { code: 'ETIMEOUT' });

const certificate = async (name: string) =>
  (await lab.request(`GET /domains/certificate?domain=${name}`, { key: null })).status;

describe('a domain', () => {
  it('shows the records to create, and is active once they exist', async () => {
    const name = newName();
    const domain = await lab.add(`${name.toUpperCase()}.`);
    expect(domain).toMatchObject({
      object: 'domain',
      name,
      status: 'pending',
      primary: false,
      url: `https://${name}`,
      verified_at: null,
      dns_records: [
        { type: 'CNAME', name, value: 'pay.example' },
        { type: 'TXT', name: `_pay-checkout.${name}`, value: expect.stringMatching(/^pay-checkout=\w{22}$/) },
      ],
    });
    expect((await lab.verify(domain)).failure?.code).toBe('address_missing');
    expect(await certificate(name)).toBe(404);
    lab.publish(domain);
    const active = await lab.verify(domain);
    expect(active).toMatchObject({ status: 'active', primary: true, failure: null });
    expect(active.verified_at).not.toBeNull();
    expect(await certificate(name)).toBe(200);
    const { body: list } = await lab.request('GET /v1/domains?limit=1');
    expect(list).toMatchObject({ object: 'list', url: '/v1/domains', data: [active] });
    const { body: deleted } = await lab.request(`DELETE /v1/domains/${domain.id}`);
    expect(deleted).toEqual({ id: domain.id, object: 'domain', deleted: true });
    expect(await certificate(name)).toBe(404);
  });

  const wrongRecords: readonly [string, (domain: Domain) => [string, string[] | Error], string][] = [
    ['no TXT record', ({ name }) => [`TXT _pay-checkout.${name}`, []], 'txt_missing'],
    ['another TXT record', ({ name }) => [`TXT _pay-checkout.${name}`, ['pay-checkout=0']], 'txt_missing'],
    ['a CNAME elsewhere', ({ name }) => [`CNAME ${name}`, ['evil.example']], 'address_elsewhere'],
    ['silent name servers', ({ name }) => [`TXT _pay-checkout.${name}`, dnsError], 'dns_unavailable'],
  ];
  it.each(wrongRecords)('with %s stays pending', async (_, recordOf, code) => {
    const domain = await lab.add(newName());
    lab.publish(domain);
    lab.zone.set(...recordOf(domain));
    const { status, failure } = await lab.verify(domain);
    expect({ status, code: failure?.code }).toEqual({ status: 'pending', code });
    expect(failure?.message).toContain(domain.name);
    await lab.request(`DELETE /v1/domains/${domain.id}`);
  });

  it.each([
    [['192.0.2.1'], 'active'],
    [['2001:DB8:0::1', '192.0.2.1'], 'active'],
    [['192.0.2.1', '198.51.100.7'], 'pending'],
  ])('without a CNAME, at the addresses %j, is %s', async (addresses, expected) => {
    const domain = await lab.add(newName());
    lab.publish(domain);
    lab.zone.delete(`CNAME ${domain.name}`);
    lab.zone.set(`A ${domain.name}`, addresses);
    expect((await lab.verify(domain)).status).toBe(expected);
    await lab.request(`DELETE /v1/domains/${domain.id}`);
  });

  it.each([
    ['', 400],
    ['shop', 400],
    ['https://shop.example', 400],
    ['shop.example:8443', 400],
    ['*.shop.example', 400],
    ['192.0.2.7', 400],
    ['pay.example', 400],
    [`${'a'.repeat(64)}.example`, 400],
    ['kasse.müller.example', 201],
  ])('named “%s” answers %i', async (name, status) => {
    const answer = await lab.request('POST /v1/domains', { body: { name } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error.param).toBe('name');
    else expect(answer.body.name).toBe('kasse.xn--mller-kva.example');
  });

  it('is added once by a merchant, and belongs to it alone', async () => {
    const domain = await lab.add(newName());
    const { status } = await lab.request('POST /v1/domains', { body: { name: domain.name } });
    expect(status).toBe(409);
    for (const call of ['GET', 'DELETE'] as const) {
      const answer = await lab.request(`${call} /v1/domains/${domain.id}`, { key: other.secretKey });
      expect(answer.status, call).toBe(404);
    }
    await lab.request(`DELETE /v1/domains/${domain.id}`);
  });

  it('serves one merchant: a second one needs its own TXT record, and waits until the first removes the name', async () => {
    const name = newName();
    const first = await lab.activate(name);
    const second = await lab.add(name, other);
    expect((await lab.verify(second, other)).failure?.code).toBe('txt_missing');
    lab.publish(second);
    expect(await lab.verify(second, other)).toMatchObject({ status: 'pending', failure: { code: 'taken' } });
    await lab.request(`DELETE /v1/domains/${first.id}`);
    expect(await lab.verify(second, other)).toMatchObject({ status: 'active', failure: null });
  });

  it('is known to other servers of the same database', async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const live = createLive({ connection: lab.database.connection, log });
    const publicUrl = () => 'https://pay.example';
    const elsewhere = createDomainDirectory({ db: lab.database.db, live, log, publicUrl });
    await live.start();
    const domain = await lab.activate(newName());
    await vi.waitFor(() => expect(elsewhere.merchantOf(domain.name)).toBe(lab.merchant.id), 15_000);
    expect(elsewhere.baseUrl(lab.merchant.id)).toBe(domain.url);
    await lab.request(`DELETE /v1/domains/${domain.id}`);
    await vi.waitFor(() => expect(elsewhere.merchantOf(domain.name)).toBeNull(), 15_000);
    elsewhere.close();
    await live.stop();
  });

  it('is not believed from an untrusted X-Forwarded-Host', async () => {
    const domain = await lab.activate(newName());
    const statusOf = async (headers: Record<string, string>) =>
      (await lab.request('GET /openapi.json', { key: null, headers })).status;
    expect(await statusOf({ host: domain.name })).toBe(404);
    expect(await statusOf({ host: 'pay.example', 'x-forwarded-host': domain.name })).toBe(200);
    await lab.request(`DELETE /v1/domains/${domain.id}`);
  });

  it('needs the scopes of the account', async () => {
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['account:read'] });
    expect((await lab.request('GET /v1/domains', { key })).status).toBe(200);
    expect((await lab.request('POST /v1/domains', { key, body: { name: newName() } })).status).toBe(403);
  });
});

describe('`custom_domain` of the account', () => {
  const account = async (body?: object) => {
    const answer = await lab.request(body === undefined ? 'GET /v1/account' : 'PATCH /v1/account', { body });
    return answer.status === 200 ? answer.body.custom_domain : answer.body.error.param;
  };

  it('shows the records of a new domain, is used once they were found, and ends with null', async () => {
    expect(await account({ custom_domain: null })).toBeNull();
    lab.clock.advance(1);
    const name = newName();
    const pending = await account({ custom_domain: name.toUpperCase() });
    expect(pending).toMatchObject({ name, status: 'pending', primary: false });
    expect(pending.dns_records).toContainEqual({ type: 'CNAME', name, value: 'pay.example' });
    expect(await account({ custom_domain: name })).toEqual(pending);
    lab.publish(pending);
    const active = await lab.verify(pending);
    expect(active).toMatchObject({ status: 'active', primary: true });
    const next = newName();
    lab.clock.advance(1);
    expect(await account({ custom_domain: next, name: 'Shop' })).toEqual(active);
    const names = async (livemode: boolean) => {
      const key = await lab.addKey(lab.merchant.id, 'secret', { livemode });
      return (await lab.request('GET /v1/domains', { key })).body.data.map(({ name }: Domain) => name);
    };
    expect([await names(false), await names(true)]).toEqual([
      [next, name],
      [next, name],
    ]);
    expect([await account({ custom_domain: null }), await account()]).toEqual([null, null]);
    expect(await certificate(name)).toBe(404);
  });

  it.each(['', 'shop', 'https://pay.shop.example', 'pay.example', 5])('refuses %j, and changes nothing', async name => {
    expect(await account({ custom_domain: name, name: 'Changed' })).toBe('custom_domain');
    expect((await lab.request('GET /v1/account')).body.name).not.toBe('Changed');
  });
});

describe('the checks of a domain', () => {
  it('find the records of a pending domain, and give up after seven days', async () => {
    const [found, forgotten] = [await lab.add(newName(), other), await lab.add(newName(), other)];
    lab.publish(found);
    lab.clock.advance(61);
    await lab.sweep('domains.check');
    expect((await lab.read(found, other)).status).toBe('active');
    expect(await certificate(found.name)).toBe(200);
    for (let day = 0; day < 7; day++) {
      expect((await lab.read(forgotten, other)).status).toBe('pending');
      lab.clock.advance(24 * hour);
      await lab.sweep('domains.check');
    }
    expect(await lab.read(forgotten, other)).toMatchObject({ status: 'failed', failure: { code: 'address_missing' } });
    expect((await lab.verify(forgotten, other)).status).toBe('pending');
  });

  it('end an active domain after a day of wrong records, not for silent name servers', async () => {
    const domain = await lab.activate(newName(), other);
    const cname = `CNAME ${domain.name}`;
    lab.zone.set(cname, dnsError);
    for (let day = 0; day < 3; day++) {
      lab.clock.advance(24 * hour + 1);
      await lab.sweep('domains.check');
    }
    expect(await lab.read(domain, other)).toMatchObject({ status: 'active', failure: { code: 'dns_unavailable' } });
    lab.zone.set(cname, ['evil.example']);
    for (const status of ['active', 'failed']) {
      lab.clock.advance(24 * hour);
      await lab.sweep('domains.check');
      expect((await lab.read(domain, other)).status).toBe(status);
    }
    expect(await certificate(domain.name)).toBe(404);
    const { body: mails } = await lab.request('GET /v1/mails', { key: other.secretKey });
    expect(mails.data).toMatchObject([
      { to: 'owner@other.example', subject: `The DNS records of ${domain.name} are wrong` },
    ]);
    lab.publish(domain);
    expect((await lab.verify(domain, other)).status).toBe('active');
  });
});
