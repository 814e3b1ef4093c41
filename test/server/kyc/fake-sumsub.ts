import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SumsubAccount } from '../../../src/server/kyc/providers/sumsub-api.ts';

interface Applicant {
  readonly id: string;
  readonly externalUserId: string;
  level: string;
  info: Record<string, unknown>;
  review: { reviewStatus: string; reviewResult?: object };
}

/** A fake of the published API of Sumsub's applicants. It was not compared with the real one. */
export interface FakeSumsub {
  readonly account: SumsubAccount;
  readonly applicants: readonly Applicant[];
  /** Ends the review of the applicant. */
  decide(externalUserId: string, reviewResult: object): void;
  callback(externalUserId: string, now: Date): { readonly headers: Record<string, string>; readonly body: string };
  close(): Promise<void>;
}

interface Call {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
}

export async function startFakeSumsub(): Promise<FakeSumsub> {
  const applicants: Applicant[] = [];
  const secrets = { appToken: 'prd:app', secretKey: 'request-secret', webhookSecret: 'webhook-secret' };
  const server = createServer(async (request, response) => {
    const text = await read(request);
    const [status, answer] = isSigned(request, text, secrets)
      ? answerTo(applicants, {
          method: request.method ?? '',
          url: new URL(request.url ?? '', 'http://fake'),
          body: text === '' ? {} : JSON.parse(text),
        })
      : [401, { description: 'Invalid signature' }];
    response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const known = (subject: string) => applicants.find(each => each.externalUserId === subject);
  return {
    account: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...secrets },
    applicants,
    decide: (subject, reviewResult) => {
      const applicant = known(subject);
      if (applicant !== undefined) applicant.review = { reviewStatus: 'completed', reviewResult };
    },
    callback: (subject, now) => {
      const body = JSON.stringify({
        applicantId: known(subject)?.id,
        correlationId: `req-${randomUUID()}`,
        externalUserId: subject,
        type: 'applicantReviewed',
        reviewStatus: 'completed',
        createdAtMs: now.toISOString().replace('T', ' ').replace('Z', ''),
      });
      const digest = createHmac('sha256', secrets.webhookSecret).update(body).digest('hex');
      return { body, headers: { 'x-payload-digest': digest, 'x-payload-digest-alg': 'HMAC_SHA256_HEX' } };
    },
    close: () => closed(server),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function isSigned(
  { method, url, headers }: IncomingMessage,
  text: string,
  secrets: Omit<SumsubAccount, 'url'>,
): boolean {
  const signed = `${headers['x-app-access-ts']}${method}${url}${text}`;
  const expected = createHmac('sha256', secrets.secretKey).update(signed).digest('hex');
  return headers['x-app-token'] === secrets.appToken && headers['x-app-access-sig'] === expected;
}

function answerTo(applicants: Applicant[], { method, url, body }: Call): [number, object] {
  const [, , , key = '', ...rest] = url.pathname.split('/');
  if (key === '') return create(applicants, url.searchParams.get('levelName') ?? '', body);
  const external = decodeURIComponent(/^-;externalUserId=(.+)$/.exec(key)?.[1] ?? '');
  const applicant = applicants.find(each => each.id === key || each.externalUserId === external);
  if (applicant === undefined) return [404, { description: 'Applicant not found' }];
  const action = `${method} ${rest.join('/')}`;
  if (action === 'GET one') return [200, { id: applicant.id }];
  if (action === 'GET status') return [200, applicant.review];
  if (action === 'PATCH fixedInfo') applicant.info = body;
  else if (action === 'POST moveToLevel') applicant.level = url.searchParams.get('name') ?? '';
  else if (action === 'POST status/pending') applicant.review = { reviewStatus: 'pending' };
  else return [404, { description: 'Unknown path' }];
  return [200, { ok: 1 }];
}

function create(applicants: Applicant[], level: string, body: Record<string, unknown>): [number, object] {
  const { externalUserId, fixedInfo } = body as { externalUserId: string; fixedInfo: Record<string, unknown> };
  if (applicants.some(each => each.externalUserId === externalUserId)) return [409, { description: 'Already exists' }];
  const review = { reviewStatus: 'init' };
  const applicant = {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    externalUserId,
    level,
    info: fixedInfo,
    review,
  };
  applicants.push(applicant);
  return [201, { id: applicant.id }];
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise(resolve => server.close(() => resolve()));
}
