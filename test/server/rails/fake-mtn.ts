import { type FakeAnswer, type FakeServer, type SeenCall, startFakeServer } from './fake-provider.ts';

export interface MtnTransfer {
  readonly reference: string;
  readonly callbackUrl: string;
  readonly body: Readonly<Record<string, unknown>>;
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED';
  reason?: unknown;
}

interface FakeMtnAccount {
  readonly url: string;
  readonly environment: string;
  readonly subscriptionKey: string;
  readonly apiUser: string;
  readonly apiKey: string;
  readonly currency: string;
}

/** MTN MoMo's Disbursements and Collections by their documentation, with one API user each. */
export interface FakeMtn extends FakeServer {
  readonly transfers: readonly MtnTransfer[];
  /** Requests to pay. They are pending until a test changes their status. */
  readonly requests: readonly MtnTransfer[];
  /** The only account of Disbursements, for the connector's settings. */
  readonly account: FakeMtnAccount;
  /** The only account of Collections. */
  readonly collecting: FakeMtnAccount;
  /** How long tokens are valid, in seconds. */
  tokenSeconds: number;
  /** The state in which the next status calls end pending transfers. */
  ending: Pick<MtnTransfer, 'status' | 'reason'>;
  /** Numbers whose transfers fail, with the reason. */
  readonly failing: Map<string, string>;
  /** Calls the URL of each transfer, or of `about`, as MTN does: once, with its result. */
  callBack(times?: number, about?: readonly MtnTransfer[]): Promise<number[]>;
  revokeTokens(): void;
}

const user = {
  environment: 'mtnghana',
  subscriptionKey: 'subscription-1',
  apiUser: 'user-1',
  apiKey: 'key-1',
  currency: 'GHS',
};
const collectingUser = { ...user, subscriptionKey: 'subscription-2', apiUser: 'user-2', apiKey: 'key-2' };
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export async function startFakeMtn(): Promise<FakeMtn> {
  const transfers: MtnTransfer[] = [];
  const requests: MtnTransfer[] = [];
  let tokens: string[] = [];
  const failing = new Map<string, string>();
  const fake = { tokenSeconds: 3600, ending: { status: 'SUCCESSFUL' } as FakeMtn['ending'], failing };
  const giveToken = ({ headers, body }: SeenCall, { apiUser, apiKey }: typeof user): FakeAnswer => {
    const basic = Buffer.from(`${apiUser}:${apiKey}`).toString('base64');
    if (headers.authorization !== `Basic ${basic}`) return { status: 401, body: { error: 'login_failed' } };
    if (body !== '') return { status: 400, body: { message: 'no body is supported here' } };
    tokens.push(`token-${tokens.length + 1}-${Math.random()}`);
    const token = { access_token: tokens.at(-1), token_type: 'access_token', expires_in: fake.tokenSeconds };
    return { status: 200, body: token };
  };
  const server = await startFakeServer(call => {
    const isCollecting = call.path.startsWith('/collection/');
    const [owner, list] = isCollecting ? [collectingUser, requests] : [user, transfers];
    if (call.headers['ocp-apim-subscription-key'] !== owner.subscriptionKey) return { status: 401, body: null };
    if (call.path === `/${isCollecting ? 'collection' : 'disbursement'}/token/`) return giveToken(call, owner);
    if (!tokens.includes(call.headers.authorization?.replace('Bearer ', '') ?? '')) return { status: 401, body: null };
    if (call.headers['x-target-environment'] !== user.environment) return wrongEnvironment;
    if (call.method === 'POST') return take(list, call);
    return show(list, call, { ...fake, ending: isCollecting ? {} : fake.ending });
  });
  return Object.assign(fake, server, {
    transfers,
    requests,
    account: { ...user, url: server.url },
    collecting: { ...collectingUser, url: server.url },
    callBack: async (times = 1, about = transfers) => {
      const calls = about.flatMap(transfer => Array.from({ length: times }, () => transfer));
      return await Promise.all(
        calls.map(async transfer => {
          const body = JSON.stringify(shown(transfer));
          const headers = { 'content-type': 'application/json' };
          return (await fetch(transfer.callbackUrl, { method: 'PUT', headers, body })).status;
        }),
      );
    },
    revokeTokens: () => {
      tokens = [];
    },
  });
}

const wrongEnvironment = { status: 500, body: { code: 'NOT_ALLOWED_TARGET_ENVIRONMENT', message: 'Access denied' } };

function take(transfers: MtnTransfer[], { headers, body }: SeenCall): FakeAnswer {
  const reference = String(headers['x-reference-id']);
  const known = transfers.some(transfer => transfer.reference === reference);
  if (known) return { status: 409, body: { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id' } };
  const fields = JSON.parse(body);
  const isRight = uuid4.test(reference) && /^(0|[1-9]\d*)(\.\d{1,4})?$/.test(fields.amount);
  if (!isRight || fields.currency !== user.currency) return { status: 400, body: { code: 'BAD_REQUEST' } };
  transfers.push({ reference, callbackUrl: String(headers['x-callback-url']), body: fields, status: 'PENDING' });
  return { status: 202, body: null };
}

function show(
  transfers: MtnTransfer[],
  { path }: SeenCall,
  { ending, failing }: { readonly ending: Partial<FakeMtn['ending']>; readonly failing: FakeMtn['failing'] },
): FakeAnswer {
  const transfer = transfers.find(({ reference }) => path.endsWith(`/${reference}`));
  if (transfer === undefined) return { status: 404, body: { code: 'RESOURCE_NOT_FOUND', message: 'Not found' } };
  const { partyId } = (transfer.body['payee'] ?? transfer.body['payer']) as { partyId: string };
  const reason = failing.get(partyId);
  Object.assign(transfer, reason === undefined ? ending : { status: 'FAILED', reason });
  return { status: 200, body: shown(transfer) };
}

function shown({ reference, body, status, reason }: MtnTransfer): object {
  const done = status === 'SUCCESSFUL' && { financialTransactionId: `f-${reference.slice(0, 8)}` };
  return { ...body, ...done, status, ...(reason !== undefined && { reason }) };
}
