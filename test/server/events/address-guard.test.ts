import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PayError } from '../../../src/core/error.ts';
import {
  type AddressRules,
  assertAllowedUrl,
  isAllowedAddress,
  parseAllowedUrl,
  type Resolve,
  type ResolvedAddress,
} from '../../../src/server/platform/webhooks/address-guard.ts';
import { createSink, createWebhookLab, type Sink, type WebhookLab } from './webhook-lab.ts';

const test: AddressRules = { livemode: false, allowLoopback: false, allowedNetworks: [], ownUrl: () => null };
const live: AddressRules = { ...test, livemode: true, allowLoopback: true };
const onThisMachine: AddressRules = { ...test, allowLoopback: true };

const publicAddress: ResolvedAddress = { address: '93.184.215.14', family: 4 };
const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };

/** The test's name server. */
const resolve: Resolve = async hostname => {
  const known: Record<string, ResolvedAddress[]> = {
    'shop.example.com': [publicAddress],
    'inside.example.com': [{ address: '10.0.0.1', family: 4 }],
    'metadata.example.com': [{ address: '169.254.169.254', family: 4 }],
    'mapped.example.com': [{ address: '::ffff:10.0.0.1', family: 6 }],
    'mixed.example.com': [publicAddress, loopback],
    intranet: [{ address: '10.9.9.9', family: 4 }],
    shop: [{ address: '10.0.0.7', family: 4 }],
    localhost: [loopback],
  };
  const found = known[hostname];
  if (found === undefined) throw new Error(`${hostname} is unknown`);
  return found;
};

async function codeOf(url: string, rules: AddressRules): Promise<string> {
  return await assertAllowedUrl(url, rules, resolve).then(
    () => 'allowed',
    (error: PayError) => `${error.status} ${error.code} ${error.param}`,
  );
}

/** Spellings of local and private addresses. `PORT` stands for a port on which a server listens. */
const insideByAddress = [
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://0x7f.1:PORT/',
  'http://0x7f000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://2130706433:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://localhost:PORT/',
  'http://localhost.:PORT/',
  'http://LOCALHOST:PORT/',
];

const insideElsewhere = [
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::ffff:169.254.169.254]/',
  'http://0.1.2.3/',
  'http://192.0.0.8/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[64:ff9b::a00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:a00:1::]/',
  'http://[2001:0:a00:1::]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[100::1]/',
  'http://foo.localhost/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://intranet/',
];

const wrongInItself = [
  'http://shop.example.com:22/',
  'http://shop.example.com:25/',
  'http://shop.example.com:5432/',
  'http://shop.example.com:6379/',
  'http://shop.example.com:2375/',
  'http://shop.example.com:0/',
  'https://user:pass@shop.example.com/',
  'https://user@shop.example.com/',
  'https://shop.example.com\\@10.0.0.1/',
  'https://shop.example.com/\nHost: x',
  'https://shop.\texample.com/',
  'file:///etc/passwd',
  'ftp://shop.example.com/',
  'gopher://shop.example.com/',
  'javascript:alert(1)',
  'data:text/plain,hello',
  '//shop.example.com/',
  'shop.example.com/hook',
  'http://',
  'http://[fe80::1%25eth0]/',
  'http://256.256.256.256/',
  '',
];

const insideByName = [
  'http://inside.example.com/',
  'http://metadata.example.com/',
  'http://mapped.example.com/',
  'http://mixed.example.com/',
];

describe('when an endpoint is created', () => {
  it.each([...insideByAddress, ...insideElsewhere, ...wrongInItself, ...insideByName])('refuses %j', async url => {
    const wanted = '400 forbidden_url url';
    expect(await codeOf(url.replace(':PORT/', ':8080/'), test)).toBe(wanted);
    expect(await codeOf(url.replace('http://', 'https://').replace(':PORT/', ':8080/'), live)).toBe(wanted);
  });

  it.each([
    'https://shop.example.com/hook',
    'https://shop.example.com:8443/hook?x=1',
    'https://shop.example.com./hook',
    'https://93.184.215.14/hook',
    'https://[2606:4700::1111]/hook',
    'https://not-registered-yet.example.com/hook',
  ])('accepts %s', async url => {
    expect(await codeOf(url, test)).toBe('allowed');
    expect(await codeOf(url, live)).toBe('allowed');
  });

  it('does not wait for name servers that do not answer', async () => {
    const silent: Resolve = () => new Promise(() => undefined);
    await expect(assertAllowedUrl('https://shop.example.com/', live, silent)).resolves.toBeUndefined();
  });

  it('accepts http in test mode only, and loopback only if configured, never in live mode', async () => {
    expect(await codeOf('http://shop.example.com/', test)).toBe('allowed');
    expect(await codeOf('http://shop.example.com/', live)).toBe('400 forbidden_url url');
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1']) {
      expect(await codeOf(`http://${host}:8080/`, onThisMachine)).toBe('allowed');
      expect(await codeOf(`https://${host}:8080/`, live)).toBe('400 forbidden_url url');
    }
    for (const url of ['http://127.0.0.1:5432/', 'http://10.0.0.1/', 'http://0.0.0.0/', 'http://169.254.169.254/']) {
      expect(await codeOf(url, onThisMachine)).toBe('400 forbidden_url url');
    }
  });
});

describe('private networks that the operator opens', () => {
  const opened: AddressRules = { ...test, allowedNetworks: ['10.0.0.0/24', 'fd12:3456::/32', '192.168.1.7'] };

  it.each([
    'http://10.0.0.1:3000/hook',
    'http://[fd12:3456::1]/',
    'http://192.168.1.7/',
    'http://inside.example.com/',
    'http://mapped.example.com/',
    'http://shop:3000/hook',
    'http://shop.pay.svc.cluster.local/',
    'http://printer.local/',
  ])('accept %s', async url => {
    expect(await codeOf(url, opened)).toBe('allowed');
    expect(await codeOf(url.replace('http:', 'https:'), { ...opened, livemode: true })).toBe('allowed');
  });

  it.each([
    'http://10.0.1.1/',
    'http://[fd13::1]/',
    'http://192.168.1.8/',
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://metadata.example.com/',
    'http://intranet/',
    'http://10.0.0.1:5432/',
  ])('still refuse %s', async url => {
    expect(await codeOf(url, opened)).toBe('400 forbidden_url url');
  });
});

it.each([
  ['http://localhost:3000/', test, 'PAY_WEBHOOK_ALLOW_LOOPBACK'],
  ['http://127.0.0.1:3000/', test, 'PAY_WEBHOOK_ALLOW_LOOPBACK'],
  ['http://10.0.0.1/', test, 'PAY_WEBHOOK_ALLOWED_NETWORKS'],
  ['http://shop:3000/', test, 'PAY_WEBHOOK_ALLOWED_NETWORKS'],
  ['http://inside.example.com/', test, 'PAY_WEBHOOK_ALLOWED_NETWORKS'],
  ['https://10.0.0.1/', live, 'PAY_WEBHOOK_ALLOWED_NETWORKS'],
])('the refusal of %s names the setting', async (url, rules, setting) => {
  const error: PayError = await assertAllowedUrl(url, rules, resolve).catch(thrown => thrown);
  expect(error.message).toContain(setting);
});

/** Paths beside the service's own `/demo/api/webhooks`. */
const besideOwn = ['/demo/api/webhooks/', '/demo/api/webhooks?x', '/demo/api/webhooks#x', '/v1/payments', ''];

it('accepts the service’s own address in test mode, and no other local one', async () => {
  const own = (url: string): AddressRules => ({ ...test, ownUrl: () => url });
  for (const base of ['http://localhost:4242', 'http://127.0.0.1:80', 'https://[::1]:8443']) {
    const url = `${base}/demo/api/webhooks`;
    expect(await codeOf(url, own(url))).toBe('allowed');
    expect(await codeOf(url, { ...own(url), livemode: true })).toBe('400 forbidden_url url');
    const { origin } = new URL(url);
    const others = [
      ...besideOwn.map(path => origin + path),
      url.replace(/:\d+\//, ':4243/'),
      url.replace('//', '//a@'),
    ];
    for (const other of others) expect(await codeOf(other, own(url))).toBe('400 forbidden_url url');
  }
  const inside = 'http://10.0.0.1:4242/demo/api/webhooks';
  expect(await codeOf(inside, own(inside))).toBe('400 forbidden_url url');
});

describe('when a webhook is sent', () => {
  let lab: WebhookLab;
  let sink: Sink;

  beforeAll(async () => {
    lab = await createWebhookLab();
  });
  afterAll(() => lab.close());
  beforeEach(async () => {
    sink = await createSink();
  });
  afterEach(() => sink.close());

  it('would reach this machine by all these spellings without the guard', async () => {
    const open: string[] = [];
    for (const url of insideByAddress) {
      const target = url.replace('PORT', new URL(sink.url).port);
      if (!URL.canParse(target)) continue;
      const reached = await fetch(target).then(
        () => true,
        () => false,
      );
      if (reached) open.push(url);
    }
    expect(open.length).toBeGreaterThan(10);
  });

  it('refuses to connect to an internal address that is in the table', async () => {
    const merchant = await lab.addMerchant();
    const port = new URL(sink.url).port;
    const urls = [...insideByAddress.map(url => url.replace(':PORT/', `:${port}/`)), ...insideElsewhere];
    const endpoints = [];
    for (const url of urls) endpoints.push(await lab.addEndpoint(merchant, url));
    await lab.addEvent(merchant);
    await lab.sweeper({ resolve }).runAll();
    for (const [index, endpoint] of endpoints.entries()) {
      const [delivery] = await lab.deliveries(endpoint.id);
      expect({ url: urls[index], error: delivery?.last_error }).toEqual({ url: urls[index], error: 'blocked_ip' });
    }
    expect(sink.connections()).toBe(0);
  });

  it('refuses a name that resolves to an internal address later, or to one among others', async () => {
    const answers: ResolvedAddress[][] = [[publicAddress], [loopback]];
    const rebinding: Resolve = async hostname =>
      hostname === 'mixed.example.com' ? [publicAddress, loopback] : (answers.shift() ?? [loopback]);
    const port = new URL(sink.url).port;
    const url = `http://rebinding.example.com:${port}/`;
    await assertAllowedUrl(url, test, rebinding);
    const merchant = await lab.addMerchant();
    const rebound = await lab.addEndpoint(merchant, url);
    const mixed = await lab.addEndpoint(merchant, `http://mixed.example.com:${port}/`);
    await lab.addEvent(merchant);
    await lab.sweeper({ resolve: rebinding }).runAll();
    for (const { id } of [rebound, mixed]) {
      expect(await lab.deliveries(id)).toMatchObject([
        { last_error: 'blocked_ip', attempts: 1, response_status: null },
      ]);
    }
    expect(sink.connections()).toBe(0);
  });

  it('connects to the checked address, and resolves the name once per connection', async () => {
    let asked = 0;
    const counting: Resolve = async () => {
      asked++;
      return [loopback];
    };
    const merchant = await lab.addMerchant();
    const endpoint = await lab.addEndpoint(merchant, `http://hooks.example.com:${new URL(sink.url).port}/`);
    await lab.addEvent(merchant);
    await lab.sweeper({ resolve: counting, allowLoopback: true }).runAll();
    expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'delivered' }]);
    expect([asked, sink.received[0]?.headers['host']]).toEqual([1, `hooks.example.com:${new URL(sink.url).port}`]);
  });

  it('connects to the service’s own address in test mode, and no other local one', async () => {
    const origin = `http://localhost:${new URL(sink.url).port}`;
    const ownUrl = `${origin}/demo/api/webhooks`;
    const merchant = await lab.addMerchant();
    const own = await lab.addEndpoint(merchant, ownUrl);
    const others = [];
    for (const path of besideOwn) others.push(await lab.addEndpoint(merchant, origin + path));
    others.push(await lab.addEndpoint(merchant, ownUrl, { livemode: true }));
    // Another name of this machine is refused, even with the same port and path.
    others.push(await lab.addEndpoint(merchant, ownUrl.replace('localhost', 'rebinding.example.com')));
    await lab.addEvent(merchant);
    await lab.addEvent(merchant, 'payment.completed', { livemode: true });
    await lab.sweeper({ resolve: async () => [loopback], ownUrl }).runAll();
    expect(await lab.deliveries(own.id)).toMatchObject([{ status: 'delivered' }]);
    for (const { id } of others) expect(await lab.deliveries(id)).toMatchObject([{ last_error: 'blocked_ip' }]);
    expect(sink.received).toHaveLength(1);
  });

  it('uses no proxy', async () => {
    let proxied = 0;
    const proxy = createServer(socket => {
      proxied++;
      socket.destroy();
    });
    await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      proxy.close();
    });
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) vi.stubEnv(name, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const merchant = await lab.addMerchant();
    const endpoint = await lab.addEndpoint(merchant, `${sink.url}/direct`);
    await lab.addEvent(merchant);
    await lab.sweeper().runAll();
    expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'delivered' }]);
    expect(proxied).toBe(0);
  });
});

it('checks bare addresses, and refuses invalid ones', () => {
  expect(['8.8.8.8', '2a00:1450:4001::1'].map(address => isAllowedAddress(address, test))).toEqual([true, true]);
  expect(['', 'example.com', '127.0.0.1', '::ffff:10.0.0.1'].map(address => isAllowedAddress(address, live))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(parseAllowedUrl('https://shop.example.com/a?b', live).href).toBe('https://shop.example.com/a?b');
});
