import {
  createProviderApi,
  fieldsOf,
  type JsonFields,
  type ProviderApi,
  type ProviderDeps,
  textOf,
} from './provider-api.ts';

/** The service's account at MTN MoMo: an API user of one product in one country. */
export interface MtnAccount {
  /** Base URL without a slash at the end. */
  readonly url: string;
  /** `X-Target-Environment`: `mtnghana`, `mtnuganda` …, or `sandbox`. */
  readonly environment: string;
  /** Each product has its own key. */
  readonly subscriptionKey: string;
  readonly apiUser: string;
  readonly apiKey: string;
  /** The currency of the country. */
  readonly currency: string;
}

export type MtnProduct = 'disbursement' | 'collection';

interface MtnApiDeps extends ProviderDeps {
  /** The product, for the operator. */
  readonly name: string;
  /** The product in MTN's paths. */
  readonly product: MtnProduct;
  readonly account: MtnAccount;
}

/** Creates a client of one product of MTN MoMo. */
export function createMtnApi({ name, product, account, http, onProblem }: MtnApiDeps): ProviderApi {
  const basic = Buffer.from(`${account.apiUser}:${account.apiKey}`).toString('base64');
  return createProviderApi({
    name,
    http,
    onProblem,
    url: account.url,
    headers: {
      'ocp-apim-subscription-key': account.subscriptionKey,
      'x-target-environment': account.environment,
    },
    token: { path: `/${product}/token/`, headers: { authorization: `Basic ${basic}` }, json: null },
  });
}

/** The reason of a failure. MTN's answers have it as text, but MTN's schema has an object with a code. */
export function mtnReason(body: JsonFields): string | null {
  return textOf(body, 'reason') ?? textOf(fieldsOf(body['reason']), 'code');
}
