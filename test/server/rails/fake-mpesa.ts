import { constants, createPrivateKey, privateDecrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callbackOf, collect, type FakeExpress, type MpesaPush } from './fake-mpesa-express.ts';
import { type FakeAnswer, type FakeServer, type SeenCall, startFakeServer } from './fake-provider.ts';

export interface MpesaPayment {
  readonly conversationId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Daraja by its documentation, with one app and one initiator. It carries out every request, even repeated ones. */
export interface FakeMpesa extends FakeServer {
  readonly payments: readonly MpesaPayment[];
  readonly express: FakeExpress;
  /** Calls the URL of a push with its result, or with `claimed`. */
  tellPush(push: MpesaPush, claimed?: object): Promise<void>;
  readonly account: {
    readonly url: string;
    readonly consumerKey: string;
    readonly consumerSecret: string;
    readonly shortcode: string;
    readonly initiator: string;
    readonly initiatorPassword: string;
    readonly certificate: string;
    readonly passkey: string;
  };
  /** The `TransactionStatus` of all payments. */
  status: string;
  /** The ResultCode that callbacks of payments claim. */
  claimedCode: string;
  /** Numbers whose payments fail, with the ResultCode. */
  readonly failing: Map<string, string>;
  /** How often each answer to a status request is sent. */
  answerTimes: number;
  /** Changes the parameters of the answers to status requests. */
  alter: (parameters: Record<string, unknown>) => void;
  responseCode: string;
  callBack(times?: number): Promise<void>;
  /** Resolves when all pending answers have arrived. */
  settled(): Promise<void>;
}

const pem = readFileSync(join(import.meta.dirname, 'rsa-certificate.pem'), 'utf8');
const privateKey = createPrivateKey(pem);

const user = {
  consumerKey: 'consumer-1',
  consumerSecret: 'secret-1',
  shortcode: '600999',
  initiator: 'api-user',
  initiatorPassword: 'Safaricom999!*!',
  certificate: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')),
  passkey: 'bfb279f9aa9bdbcf',
};

export async function startFakeMpesa(): Promise<FakeMpesa> {
  const payments: MpesaPayment[] = [];
  const express: FakeExpress = { pushes: [], deciding: new Map(), answering: {}, passkey: user.passkey };
  const sending = new Set<Promise<unknown>>();
  const failing = new Map<string, string>();
  const fake = { status: 'Completed', claimedCode: '0', answerTimes: 1, responseCode: '0', alter: () => {}, failing };
  const post = (url: unknown, body: object) => {
    const call = fetch(String(url), { method: 'POST', body: JSON.stringify(body) }).then(
      ({ status }) => status,
      () => null,
    );
    sending.add(call);
    void call.finally(() => sending.delete(call));
  };
  const settled = async () => {
    while (sending.size > 0) await Promise.all(sending);
  };
  const server = await startFakeServer(call => {
    if (call.path.startsWith('/oauth/')) return giveToken(call);
    if (call.headers.authorization !== 'Bearer token-1') return { status: 404, body: { errorCode: '404.001.03' } };
    const body = JSON.parse(call.body);
    if (call.path.startsWith('/mpesa/stkpush')) return collect(express, call.path, body);
    if (!isInitiator(body)) return { status: 400, body: { errorCode: '400.002.02', errorMessage: 'Bad Request' } };
    if (call.path === '/mpesa/b2c/v3/paymentrequest') return take(payments, body, fake.responseCode);
    if (call.path !== '/mpesa/transactionstatus/v1/query') return { status: 404, body: null };
    for (let time = 0; time < fake.answerTimes; time++) post(body.ResultURL, statusOf(payments, body, fake));
    return acknowledged(`AG_${Math.random()}`, '0');
  });
  return Object.assign(fake, server, {
    payments,
    express,
    tellPush: async (push: MpesaPush, claimed = callbackOf(push)) => {
      post(push.body['CallBackURL'], claimed);
      await settled();
    },
    account: { ...user, url: server.url },
    callBack: async (times = 1) => {
      for (const { body, conversationId } of payments) {
        const code = failing.get(String(body['PartyB'])) ?? fake.claimedCode;
        for (let time = 0; time < times; time++) post(body['ResultURL'], resultOf(code, conversationId, []));
      }
      await settled();
    },
    settled,
  });
}

function giveToken({ headers, path }: SeenCall): FakeAnswer {
  const basic = Buffer.from(`${user.consumerKey}:${user.consumerSecret}`).toString('base64');
  const isRight = headers.authorization === `Basic ${basic}` && path.endsWith('?grant_type=client_credentials');
  if (!isRight) return { status: 400, body: { errorCode: '400.008.01', errorMessage: 'Invalid Authentication' } };
  return { status: 200, body: { access_token: 'token-1', expires_in: '3599' } };
}

function isInitiator(body: Readonly<Record<string, string>>): boolean {
  const sealed = Buffer.from(body['SecurityCredential'] ?? '', 'base64');
  const password = privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, sealed).toString();
  const name = body['InitiatorName'] ?? body['Initiator'];
  return name === user.initiator && password === user.initiatorPassword && body['PartyA'] === user.shortcode;
}

function take(payments: MpesaPayment[], body: MpesaPayment['body'], responseCode: string): FakeAnswer {
  if (!Number.isInteger(body['Amount'])) return { status: 400, body: { errorCode: '400.002.02' } };
  const conversationId = `AG_20261120_${payments.length}`;
  if (responseCode === '0') payments.push({ body, conversationId });
  return acknowledged(conversationId, responseCode);
}

function acknowledged(conversationId: string, code: string): FakeAnswer {
  return {
    status: 200,
    body: { ConversationID: conversationId, ResponseCode: code, ResponseDescription: 'Accept the service request' },
  };
}

function statusOf(
  payments: readonly MpesaPayment[],
  query: Readonly<Record<string, string>>,
  { status, alter, failing }: Pick<FakeMpesa, 'status' | 'alter' | 'failing'>,
): object {
  const found = payments.find(({ body }) => body['OriginatorConversationID'] === query['OriginatorConversationID']);
  if (found === undefined) return resultOf('2033', 'AG_none', []);
  const parameters: Record<string, unknown> = {
    OriginatorConversationID: query['OriginatorConversationID'],
    ConversationID: found.conversationId,
    TransactionStatus: failing.has(String(found.body['PartyB'])) ? 'Failed' : status,
    Amount: String(found.body['Amount']),
    ReceiptNo: `MBN${found.conversationId.slice(-3)}`,
    TransactionReason: undefined,
  };
  alter(parameters);
  return resultOf(
    '0',
    found.conversationId,
    Object.entries(parameters).map(([Key, Value]) => ({ Key, Value })),
  );
}

function resultOf(code: string, conversationId: string, parameters: readonly object[]): object {
  return {
    Result: {
      ResultType: 0,
      ResultCode: Number(code),
      ResultDesc: 'Text',
      ConversationID: conversationId,
      ...(parameters.length > 0 && { ResultParameters: { ResultParameter: parameters } }),
    },
  };
}
