import { addSeconds } from '../../../core/clock.ts';
import { mobileMoneyMarkets } from '../../../core/mobile-money/markets.ts';
import { parseUnits } from '../../../core/money.ts';
import type { Db } from '../../platform/db/database.ts';
import type { PromptRefusal, PromptRequest } from './collecting.ts';
import { type AskedPrompt, createCollector, type MobileMoneyCollector, type SentPrompt } from './collector.ts';
import { type CallbackAddresses, type OrderKey, plainText } from './connector.ts';
import { createDarajaApi, type DarajaApp, isThrottled } from './daraja-api.ts';
import { acceptPrompt, findPrompt, storeReceipt } from './prompt.store.ts';
import { fieldsOf, type JsonFields, type ProviderApi, type ProviderDeps, parseFields, textOf } from './provider-api.ts';
import type { PromptRow } from './tables.ts';

/** The service's account at M-Pesa Kenya: a Pay Bill short code with its Lipa na M-Pesa passkey. */
export interface MpesaExpressAccount extends DarajaApp {
  readonly shortcode: string;
  readonly passkey: string;
}

interface MpesaExpressDeps extends ProviderDeps {
  readonly account: MpesaExpressAccount;
  readonly db: Db;
  readonly addresses: CallbackAddresses;
}

type MpesaExpress = MpesaExpressDeps & { readonly api: ProviderApi };

const id = 'mpesa';

/** A phone shows a prompt for about a minute. Safaricom asks to wait as long before the next prompt. */
const promptSeconds = 60;

/**
 * Collects by M-Pesa Express in Kenya (Daraja: STK push v1 and its query v1). Paths, fields and codes follow public
 * copies of Safaricom's documentation. The connector was tested against a fake only, never against M-Pesa.
 *
 * An STK push has no idempotency key, so each is sent once. The callback decides nothing: the query does. The query
 * names the `CheckoutRequestID`. If the answer to the push was lost, the callback at the attempt's secret URL tells it.
 */
export function createMpesaExpress(deps: MpesaExpressDeps): MobileMoneyCollector {
  const { account, http, addresses, onProblem } = deps;
  const api = createDarajaApi({ name: 'M-Pesa Express', account, http, onProblem, isExpected: isUnderWay });
  const express = { ...deps, api };
  return createCollector({
    id,
    markets: mobileMoneyMarkets.filter(({ provider, country }) => provider === id && country === 'KE'),
    db: deps.db,
    promptSeconds,
    recognizesRepeats: false,
    send: (request, number) => send(express, request, number),
    ask: (row, now) => ask(express, row, now),
    problem: api.problem,
    receive: async (token, body) => {
      const key = addresses.open(id, 'prompt', token);
      if (key !== null) await takeCallback(express, key, body);
      return key;
    },
  });
}

/** Fields that prove the knowledge of the passkey. The time is that of Kenya (UTC+3). */
function signature({ shortcode, passkey }: MpesaExpressAccount, now: Date) {
  const timestamp = addSeconds(now, 3 * 3600)
    .toISOString()
    .replace(/\D/g, '')
    .slice(0, 14);
  const password = Buffer.from(`${shortcode}${passkey}${timestamp}`).toString('base64');
  return { BusinessShortCode: shortcode, Password: password, Timestamp: timestamp };
}

async function send({ api, account, addresses }: MpesaExpress, request: PromptRequest, number: string) {
  const key = { merchantId: request.merchantId, orderId: request.attemptId };
  const answer = await api.call({
    path: '/mpesa/stkpush/v1/processrequest',
    json: {
      ...signature(account, request.now),
      TransactionType: 'CustomerPayBillOnline',
      Amount: Number(request.amount / 100n),
      PartyA: number,
      PartyB: account.shortcode,
      PhoneNumber: number,
      CallBackURL: addresses.urlOf(id, 'prompt', key),
      // The prompt shows this reference, of at most 12 letters and digits.
      AccountReference: plainText(request.payee, 100).replaceAll(' ', '').slice(0, 12) || 'Payment',
      TransactionDesc: request.paymentId.slice(-13),
    },
  });
  if (answer.state === 'unsent' || isThrottled(answer)) return { state: 'unsent' } as const;
  return answer.state === 'answered' ? sentPrompt(api, answer) : ({ state: 'unknown' } as const);
}

/**
 * Reads the answer to a push. Code 500.001.1001 refuses it before the prompt: wrong credentials, an unknown short code,
 * or a phone that is busy with another prompt.
 */
function sentPrompt(
  api: ProviderApi,
  answer: { readonly status: number; readonly body: JsonFields | null },
): SentPrompt {
  const { status, body } = answer;
  const [code, checkoutId] = [textOf(body, 'ResponseCode'), checkoutIdOf(body)];
  if (status === 200 && code === '0' && checkoutId !== null) {
    return { state: 'accepted', providerId: checkoutId, isNew: true };
  }
  if (status === 200 && code !== null && code !== '0') return { state: 'refused', code: refusalOf(api, code) };
  if (status === 400 && body !== null) {
    const isNumber = /phone ?number|party ?a\b/i.test(textOf(body, 'errorMessage') ?? '');
    return { state: 'refused', code: isNumber ? 'number_not_registered' : 'processing_error' };
  }
  if (textOf(body, 'errorCode') === '500.001.1001') return { state: 'refused', code: 'processing_error' };
  return { state: 'unknown' };
}

/** The `CheckoutRequestID` of an answer or a callback. */
function checkoutIdOf(body: JsonFields | null): string | null {
  const text = textOf(body, 'CheckoutRequestID');
  return text !== null && /^[\w.-]{1,100}$/.test(text) ? text : null;
}

/** Whether Daraja answers that the payer has not decided yet. The same code also stands for other problems. */
function isUnderWay(body: JsonFields): boolean {
  return textOf(body, 'errorCode') === '500.001.1001' && /being processed/i.test(textOf(body, 'errorMessage') ?? '');
}

async function ask({ api, account }: MpesaExpress, row: PromptRow, now: Date): Promise<AskedPrompt> {
  const providerId = row.provider_id;
  if (providerId === null) return { state: 'unknown' };
  const answer = await api.call({
    path: '/mpesa/stkpushquery/v1/query',
    json: { ...signature(account, now), CheckoutRequestID: providerId },
  });
  if (answer.state !== 'answered' || answer.body === null) return { state: 'unknown' };
  if (isUnderWay(answer.body)) return { state: 'waiting', providerId };
  const code = textOf(answer.body, 'ResultCode');
  if (answer.status !== 200 || code === null) return { state: 'unknown' };
  if (checkoutIdOf(answer.body) !== providerId) {
    api.note('returned the status of a different prompt than the requested one');
    return { state: 'unknown' };
  }
  return { ...verdictOf(api, code, now > row.expires_at), providerId };
}

/** The ResultCode of a prompt that the payer has not answered. Safaricom's list does not have it. */
const underWay = '4999';

/** A code that is not listed could mean that the prompt is under way. It refuses the prompt only after its end. */
function verdictOf(api: ProviderApi, code: string, isOver: boolean) {
  if (code === '0') return { state: 'collected', receipt: null } as const;
  const isDecided = code !== underWay && (isListed(code) || isOver);
  return isDecided ? ({ state: 'refused', code: refusalOf(api, code) } as const) : ({ state: 'waiting' } as const);
}

/** ResultCodes of STK pushes: Safaricom's list, and codes that its users report (1001, 1036, 8006, 9999). */
const resultCodes: Readonly<Record<string, PromptRefusal['code']>> = {
  '1': 'insufficient_funds',
  '2': 'operator_limit',
  '3': 'operator_limit',
  '4': 'operator_limit',
  '8': 'operator_limit',
  '17': 'operator_limit',
  '26': 'processing_error',
  '1001': 'processing_error',
  '1019': 'prompt_expired',
  '1025': 'processing_error',
  '1032': 'prompt_refused',
  '1036': 'prompt_expired',
  '1037': 'prompt_expired',
  '2001': 'wrong_pin',
  '2028': 'processing_error',
  '8006': 'wrong_pin',
  '9999': 'processing_error',
};

const isListed = (code: string) => Object.hasOwn(resultCodes, code);

/** The refusal's code. Refusals that do not concern the payer are told to the operator. */
function refusalOf(api: ProviderApi, code: string): PromptRefusal['code'] {
  const refusal = isListed(code) ? resultCodes[code] : undefined;
  if (refusal === undefined || refusal === 'processing_error') api.note(`did not collect (code ${code.slice(0, 20)})`);
  return refusal ?? 'processing_error';
}

/**
 * Takes what a callback may tell: the `CheckoutRequestID` if the answer to the push was lost, and the receipt. A callback
 * about another prompt, or another amount, changes nothing.
 */
async function takeCallback({ db, api }: MpesaExpress, key: OrderKey, body: string): Promise<void> {
  const callback = fieldsOf(fieldsOf(parseFields(body)?.['Body'])?.['stkCallback']);
  const checkoutId = checkoutIdOf(callback);
  if (callback === null || checkoutId === null) return;
  await acceptPrompt(db, id, key, { providerId: checkoutId });
  const row = await findPrompt(db, id, key);
  if (row?.state !== 'accepted') return;
  const items = itemsOf(callback);
  const receipt = items.get('MpesaReceiptNumber');
  const isPaid = receipt !== undefined;
  if (row.provider_id !== checkoutId || (isPaid && parseUnits(items.get('Amount') ?? '', 2) !== row.amount)) {
    return api.note('called back about a different prompt than the one of the address');
  }
  if (isPaid && /^\w{1,40}$/.test(receipt)) await storeReceipt(db, key, receipt);
}

/** The callback's metadata: `Amount`, `MpesaReceiptNumber`, `PhoneNumber` … */
function itemsOf(callback: JsonFields): ReadonlyMap<string, string> {
  const list = [fieldsOf(callback['CallbackMetadata'])?.['Item'] ?? []].flat();
  return new Map(
    list.flatMap(entry => {
      const fields = fieldsOf(entry);
      const [name, value] = [textOf(fields, 'Name'), textOf(fields, 'Value')];
      return name === null || value === null ? [] : [[name, value] as const];
    }),
  );
}
