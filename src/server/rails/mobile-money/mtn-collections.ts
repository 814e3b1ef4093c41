import { currencyDecimals } from '../../../core/currency.ts';
import { type MobileMoneyMarket, mobileMoneyMarkets } from '../../../core/mobile-money/markets.ts';
import { formatUnits, parseUnits } from '../../../core/money.ts';
import type { Db } from '../../platform/db/database.ts';
import type { PromptRefusal, PromptRequest } from './collecting.ts';
import { type AskedPrompt, createCollector, type MobileMoneyCollector, type SentPrompt } from './collector.ts';
import { type CallbackAddresses, orderUuid, plainText } from './connector.ts';
import { createMtnApi, type MtnAccount, mtnReason } from './mtn-api.ts';
import {
  type JsonFields,
  type ProviderAnswer,
  type ProviderApi,
  type ProviderDeps,
  reasonOf,
  textOf,
} from './provider-api.ts';
import type { PromptRow } from './tables.ts';

interface MtnCollectionsDeps extends ProviderDeps {
  /** An API user of the product Collections. */
  readonly account: MtnAccount;
  readonly db: Db;
  readonly addresses: CallbackAddresses;
}

const id = 'mtn';
const requests = '/collection/v1_0/requesttopay';

/** MTN ends a request that the payer has not approved within five minutes (MTN's list of error codes). */
const promptSeconds = 300;

/** Longest text that MTN's documentation allows in a message or a note. */
const mostNoteCharacters = 160;

/**
 * Collects by MTN MoMo (Collections 1.0, `requesttopay`). Paths, headers, bodies, states and reasons follow MTN's
 * published API. The connector was tested against a fake of this API only, never against MTN.
 *
 * The attempt's UUID is the `X-Reference-Id`. MTN answers 409 to a repeated id, and the state of the first request
 * counts. MTN calls back at most once, so prompts are polled as well.
 */
export function createMtnCollections({ account, db, addresses, ...deps }: MtnCollectionsDeps): MobileMoneyCollector {
  const api = createMtnApi({ ...deps, name: 'MTN MoMo Collections', product: 'collection', account });
  const markets = marketsOf(account);
  const noMarket = `MTN MoMo Collections: no known country collects ${account.currency} in ${account.environment}`;
  return createCollector({
    id,
    markets,
    db,
    promptSeconds,
    recognizesRepeats: true,
    send: (request, number) => send(api, request, number, addresses),
    ask: row => ask(api, row),
    problem: () => (markets.length === 0 ? noMarket : api.problem()),
    receive: async token => addresses.open(id, 'prompt', token),
  });
}

/** Countries of MTN's target environments. */
const countries: Readonly<Record<string, string>> = {
  mtnuganda: 'UG',
  mtnghana: 'GH',
  mtnivorycoast: 'CI',
  mtnzambia: 'ZM',
  mtncameroon: 'CM',
  mtnbenin: 'BJ',
  mtncongo: 'CG',
  mtnswaziland: 'SZ',
  mtnguineaconakry: 'GN',
  mtnsouthafrica: 'ZA',
  mtnliberia: 'LR',
  mtnrwanda: 'RW',
};

/** The account's markets. An environment that is not listed, such as `sandbox`, has those of the currency. */
function marketsOf({ environment, currency }: MtnAccount): readonly MobileMoneyMarket[] {
  const country = countries[environment.toLowerCase()];
  return mobileMoneyMarkets.filter(
    market =>
      market.provider === id && market.currency === currency && (country === undefined || market.country === country),
  );
}

async function send(
  api: ProviderApi,
  request: PromptRequest,
  number: string,
  addresses: CallbackAddresses,
): Promise<SentPrompt> {
  const providerId = orderUuid(request.attemptId);
  const key = { merchantId: request.merchantId, orderId: request.attemptId };
  const answer = await api.call({
    path: requests,
    headers: { 'x-reference-id': providerId, 'x-callback-url': addresses.urlOf(id, 'prompt', key) },
    json: {
      amount: formatUnits(request.amount, currencyDecimals(request.currency)),
      currency: request.currency,
      externalId: request.attemptId,
      payer: { partyIdType: 'MSISDN', partyId: number },
      payerMessage: plainText(request.payee, mostNoteCharacters) || 'Payment',
      payeeNote: plainText(request.paymentId, mostNoteCharacters),
    },
  });
  if (answer.state === 'unsent' || isThrottled(answer)) return { state: 'unsent' };
  if (answer.state !== 'answered') return { state: 'unknown' };
  if (answer.status === 202 || answer.status === 409) {
    return { state: 'accepted', providerId, isNew: answer.status === 202 };
  }
  if (answer.status !== 400 || answer.body === null) return { state: 'unknown' };
  // The refusal does not count if MTN accepted an earlier request of the same attempt.
  const known = await api.call({ path: `${requests}/${providerId}` });
  if (known.state !== 'answered' || known.status !== 404) return { state: 'unknown' };
  api.note(`refused a request to pay (${reasonOf(answer.body) ?? 'bad request'})`);
  return { state: 'refused', code: 'processing_error' };
}

/** Whether MTN's gateway refused the request because of its rate. MTN has not seen such a request. */
function isThrottled(answer: ProviderAnswer): boolean {
  return answer.state === 'answered' && answer.status === 429;
}

async function ask(api: ProviderApi, row: PromptRow): Promise<AskedPrompt> {
  const providerId = orderUuid(row.attempt_id);
  const answer = await api.call({ path: `${requests}/${providerId}` });
  if (answer.state !== 'answered' || answer.body === null) return { state: 'unknown' };
  if (answer.status === 404 && textOf(answer.body, 'code') === 'RESOURCE_NOT_FOUND') return { state: 'missing' };
  if (answer.status !== 200) return { state: 'unknown' };
  if (!isOwn(answer.body, row)) {
    api.note('returned a different request to pay than the one that was asked for');
    return { state: 'unknown' };
  }
  switch (textOf(answer.body, 'status')) {
    case 'PENDING':
      return { state: 'waiting', providerId };
    case 'SUCCESSFUL':
      return { state: 'collected', receipt: textOf(answer.body, 'financialTransactionId'), providerId };
    case 'FAILED':
      return { state: 'refused', code: refusalOf(api, mtnReason(answer.body) ?? 'no reason'), providerId };
    default:
      return { state: 'unknown' };
  }
}

/** Whether the status names the attempt and its amount. MTN writes amounts with or without decimals. */
function isOwn(body: JsonFields, row: PromptRow): boolean {
  const text = textOf(body, 'amount')?.replace(/\.0+$/, '') ?? '';
  const amount = parseUnits(text, currencyDecimals(row.currency));
  const isSameMoney = amount === row.amount && textOf(body, 'currency') === row.currency;
  return textOf(body, 'externalId') === row.attempt_id && isSameMoney;
}

/**
 * MTN's reasons, by its reference of the API and its news about reasons of failed requests. Payers who do not enter
 * the PIN in time have `COULD_NOT_PERFORM_TRANSACTION`.
 */
const reasons: Readonly<Record<string, PromptRefusal['code']>> = {
  APPROVAL_REJECTED: 'prompt_refused',
  EXPIRED: 'prompt_expired',
  COULD_NOT_PERFORM_TRANSACTION: 'prompt_expired',
  NOT_ENOUGH_FUNDS: 'insufficient_funds',
  PAYER_NOT_FOUND: 'number_not_registered',
  SENDER_ACCOUNT_NOT_ACTIVE: 'number_not_registered',
  PAYER_LIMIT_REACHED: 'operator_limit',
};

/** The refusal's code. Other reasons concern the account, the settings or MTN itself: the operator is told. */
function refusalOf(api: ProviderApi, reason: string): PromptRefusal['code'] {
  const known = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  if (known === undefined) api.note(`did not collect (${reason.replace(/[^\x20-\x7e]/g, ' ').slice(0, 120)})`);
  return known ?? 'processing_error';
}
