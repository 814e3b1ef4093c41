import {
  createProviderApi,
  type JsonFields,
  type ProviderAnswer,
  type ProviderApi,
  type ProviderDeps,
  textOf,
} from './provider-api.ts';

/** An app of Daraja, the API of M-Pesa Kenya. */
export interface DarajaApp {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

interface DarajaDeps extends ProviderDeps {
  /** The product, for the operator. */
  readonly name: string;
  readonly account: DarajaApp;
  readonly isExpected?: (body: JsonFields) => boolean;
}

/** Creates a client of Daraja. Daraja refuses a token by HTTP 401, or by a code of its own. */
export function createDarajaApi({ account, ...deps }: DarajaDeps): ProviderApi {
  const basic = Buffer.from(`${account.consumerKey}:${account.consumerSecret}`).toString('base64');
  return createProviderApi({
    ...deps,
    url: account.url,
    headers: {},
    token: { path: '/oauth/v1/generate?grant_type=client_credentials', headers: { authorization: `Basic ${basic}` } },
    tokenRefusals: ['400.003.01', '404.001.03'],
  });
}

/** Whether Daraja's gateway refused the request because of its rate or quota. M-Pesa has not seen such a request. */
export function isThrottled(answer: ProviderAnswer): boolean {
  if (answer.state !== 'answered') return false;
  return answer.status === 429 || ['500.003.02', '500.003.03'].includes(textOf(answer.body, 'errorCode') ?? '');
}
