import { createContext, runInContext } from 'node:vm';
import { Webhook } from 'standardwebhooks';
import { build } from 'vite';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../src/webhooks/index.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const otherSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
const now = new Date('2026-11-01T12:00:00Z');
const event = {
  id: 'evt_1',
  type: 'payment.completed',
  timestamp: '2026-11-01T12:00:00.000Z',
  api_version: '2026-11-01',
  livemode: false,
  sequence: 2,
  data: { object: { id: 'pay_1', object: 'payment', description: 'Grüße ☕' }, previous: { status: 'pending' } },
};
const payload = JSON.stringify(event);
const bytes = new TextEncoder().encode(payload);

/** A valid delivery, signed by the reference library `offsetSeconds` from now. */
function delivery(change: { offsetSeconds?: number; secret?: string; body?: string } = {}): Omit<
  VerifyOptions,
  'headers'
> & {
  headers: Record<string, string>;
} {
  const sentAt = new Date(now.getTime() + (change.offsetSeconds ?? 0) * 1000);
  const body = change.body ?? payload;
  return {
    payload: body,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(sentAt.getTime() / 1000),
      'webhook-signature': new Webhook(change.secret ?? secret).sign('evt_1', sentAt, body),
    },
    secret,
    now,
  };
}

const genuine = delivery();
const signature = genuine.headers['webhook-signature'] ?? '';

describe('a valid webhook', () => {
  const cases: Record<string, VerifyOptions> = {
    'a delivery as it comes': genuine,
    'its body as bytes': { ...genuine, payload: bytes },
    'headers of the Fetch API': { ...genuine, headers: new Headers(genuine.headers) },
    'headers in capitals': {
      ...genuine,
      headers: Object.fromEntries(Object.entries(genuine.headers).map(([name, value]) => [name.toUpperCase(), value])),
    },
    'one of several signatures': {
      ...genuine,
      headers: { ...genuine.headers, 'webhook-signature': `v1,Y2hhbmdlZA== v1a,ZWQyNTUxOQ== ${signature}` },
    },
    'one of several secrets': { ...genuine, secret: [otherSecret, secret] },
    'a secret without its prefix': { ...genuine, secret: secret.slice('whsec_'.length) },
    'a delivery 300 seconds old': delivery({ offsetSeconds: -300 }),
    'a delivery from 300 seconds ahead': delivery({ offsetSeconds: 300 }),
    'an older one where that is allowed': { ...delivery({ offsetSeconds: -3600 }), toleranceSeconds: 3600 },
  };
  it.each(Object.entries(cases))('%s', (_name, options) => {
    expect(verifyWebhook(options)).toEqual(event);
  });
});

describe('an invalid webhook', () => {
  const cases: Record<string, [string, VerifyOptions]> = {
    'a delivery 301 seconds old': ['timestamp_too_old', delivery({ offsetSeconds: -301 })],
    'a delivery from 301 seconds ahead': ['timestamp_too_new', delivery({ offsetSeconds: 301 })],
    'an altered byte of the body': ['signature_mismatch', { ...genuine, payload: payload.replace('pay_1', 'pay_2') }],
    'an added blank in the body': ['signature_mismatch', { ...genuine, payload: `${payload} ` }],
    'another id': ['signature_mismatch', { ...genuine, headers: { ...genuine.headers, 'webhook-id': 'evt_2' } }],
    'another time': [
      'signature_mismatch',
      { ...genuine, headers: { ...genuine.headers, 'webhook-timestamp': String(now.getTime() / 1000 + 1) } },
    ],
    'an altered signature': [
      'signature_mismatch',
      { ...genuine, headers: { ...genuine.headers, 'webhook-signature': `${signature.slice(0, -2)}A=` } },
    ],
    'the right signature under another version': [
      'signature_mismatch',
      { ...genuine, headers: { ...genuine.headers, 'webhook-signature': signature.replace('v1,', 'v2,') } },
    ],
    'the secret of another endpoint': ['signature_mismatch', { ...genuine, secret: otherSecret }],
    'an invalid time': [
      'timestamp_invalid',
      { ...genuine, headers: { ...genuine.headers, 'webhook-timestamp': '1e9' } },
    ],
    'a tolerance that is no number': ['option_invalid', { ...genuine, toleranceSeconds: Number('5m') }],
    'a negative tolerance': ['option_invalid', { ...genuine, toleranceSeconds: -1 }],
    'a time that is no date': ['option_invalid', { ...genuine, now: new Date('now') }],
    'an empty secret': ['secret_invalid', { ...genuine, secret: '' }],
    'a secret that is not base64': ['secret_invalid', { ...genuine, secret: 'whsec_no secret' }],
    'no secret at all': ['secret_invalid', { ...genuine, secret: [] }],
    'a secret from an unset variable': ['secret_invalid', { ...genuine, secret: undefined as unknown as string }],
    'a body that was parsed already': ['payload_invalid', { ...genuine, payload: event as unknown as string }],
    'bytes that are not UTF-8': ['payload_invalid', { ...genuine, payload: new Uint8Array([0xff, 0xfe]) }],
    'a signed body that is not JSON': ['payload_invalid', delivery({ body: 'hello' })],
    'a signed body that is no event': ['payload_invalid', delivery({ body: '[]' })],
    ...Object.fromEntries(
      Object.keys(genuine.headers).map(name => [
        `no ${name}`,
        ['header_missing', { ...genuine, headers: { ...genuine.headers, [name]: '' } }],
      ]),
    ),
  };
  it.each(Object.entries(cases))('%s', (_name, [code, options]) => {
    expect(() => verifyWebhook(options)).toThrow(expect.objectContaining({ name: 'WebhookVerificationError', code }));
  });
});

it('agrees with the published example of Standard Webhooks', () => {
  const example = {
    payload: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    now: new Date(1614265330_000),
  };
  // The signature is valid, but the body is no event of this service.
  expect(() => verifyWebhook(example)).toThrow(expect.objectContaining({ code: 'payload_invalid' }));
  const forged = { ...example, payload: '{"test": 2432232315}' };
  expect(() => verifyWebhook(forged)).toThrow(expect.objectContaining({ code: 'signature_mismatch' }));
});

it('has an event whose type determines the type of its object', () => {
  const got = verifyWebhook(genuine);
  if (got.type === 'payment.completed') expectTypeOf(got.data.object.amount_received).toBeNumber();
  if (got.type === 'refund.failed') expectTypeOf(got.data.object.payment).toBeString();
  expectTypeOf<WebhookEvent['sequence']>().toBeNumber();
  expect(new WebhookVerificationError('header_missing', 'x')).toBeInstanceOf(Error);
});

it('is one bundle without runtime-specific modules', async () => {
  const bundle = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: 'src/webhooks/index.ts', formats: ['iife'], name: 'webhooks', fileName: 'webhooks' },
    },
  });
  const [{ output }] = bundle as unknown as [{ output: { code: string; imports: string[] }[] }];
  expect(output).toMatchObject([{ imports: [] }]);
  const world = createContext({ TextEncoder, TextDecoder });
  runInContext(output[0]?.code ?? '', world);
  const { webhooks } = world as { webhooks: { verifyWebhook: typeof verifyWebhook } };
  expect(JSON.stringify(webhooks.verifyWebhook(genuine))).toBe(payload);
  expect(() => webhooks.verifyWebhook({ ...genuine, payload: `${payload} ` })).toThrow(/No signature matches/);
});
