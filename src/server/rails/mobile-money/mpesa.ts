import { constants, publicEncrypt, X509Certificate } from 'node:crypto';
import { inTurns, type SendOrder, type SendOutcome } from '../../outbound/sender.ts';
import type { Db } from '../../platform/db/database.ts';
import {
  type CallbackAddresses,
  createConnector,
  failure,
  type MobileMoneyConnector,
  noteOf,
  type OrderKey,
  orderUuid,
} from './connector.ts';
import { createDarajaApi, type DarajaApp, isThrottled } from './daraja-api.ts';
import {
  acceptMpesaOrder,
  claimQuestion,
  decideMpesaOrder,
  deleteUnsentOrder,
  findMpesaOrders,
  insertMpesaOrder,
  makeQuestionDue,
} from './mpesa.store.ts';
import { failureOfResult, readReportedCode, readVerdict } from './mpesa-result.ts';
import { type ProviderAnswer, type ProviderApi, type ProviderDeps, reasonOf, textOf } from './provider-api.ts';
import type { MpesaOrderRow } from './tables.ts';

/** The service's account at M-Pesa Kenya: a bulk disbursement short code and its API initiator. */
export interface MpesaAccount extends DarajaApp {
  readonly shortcode: string;
  readonly initiator: string;
  readonly initiatorPassword: string;
  /** M-Pesa's certificate (PEM), which encrypts the password. */
  readonly certificate: string;
}

interface MpesaDeps extends ProviderDeps {
  readonly account: MpesaAccount;
  readonly db: Db;
  readonly addresses: CallbackAddresses;
}

type Mpesa = MpesaDeps & { readonly api: ProviderApi; readonly credential: () => string };

const id = 'mpesa';

/** Seconds between two status requests of one order. A callback ends the pause. */
const pauseSeconds = 30;

/**
 * Pays by M-Pesa Kenya (Daraja: OAuth, B2C v3, TransactionStatus v1). Paths, fields and codes follow public copies of
 * Safaricom's documentation. The connector was tested against a fake only, never against M-Pesa.
 *
 * M-Pesa answers by callbacks. The callback of a payment is no proof. It makes the connector request the transaction
 * status, which decides. The status arrives at a URL sent with its request, and must name the order's id and amount.
 */
export function createMpesaRail(deps: MpesaDeps): MobileMoneyConnector {
  const { account, db, addresses, http, onProblem } = deps;
  const api = createDarajaApi({ name: 'M-Pesa', account, http, onProblem });
  const mpesa = { ...deps, api, credential: () => encrypted(account) };
  return createConnector({
    id,
    currency: 'KES',
    // M-Pesa pays whole shillings.
    step: 100n,
    pay: (order, number) => pay(mpesa, order, number),
    status: (orderIds, now) => statesOf(mpesa, orderIds, now),
    problem: api.problem,
    receive: async (token, body) => {
      const reported = addresses.open(id, 'result', token);
      if (reported !== null) await makeQuestionDue(db, reported, readReportedCode(body));
      const answered = addresses.open(id, 'status', token);
      if (answered !== null) await takeAnswer(mpesa, answered, body);
      return reported ?? answered;
    },
  });
}

/** The SecurityCredential: the initiator's password, encrypted with the certificate's RSA key (PKCS #1 v1.5). */
function encrypted({ certificate, initiatorPassword }: MpesaAccount): string {
  const key = new X509Certificate(certificate).publicKey;
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(initiatorPassword)).toString(
    'base64',
  );
}

/** Sends an order once. Stores the order first. Sends it again only if M-Pesa certainly has not read it. */
async function pay(mpesa: Mpesa, order: SendOrder, number: string): Promise<SendOutcome> {
  if (order.amount % 100n !== 0n) return failure('provider_error', 'M-Pesa pays whole shillings only');
  const key = { merchantId: order.merchantId, orderId: order.id };
  const reference = orderUuid(order.id);
  const isNew = await insertMpesaOrder(mpesa.db, { ...key, reference, amount: order.amount, now: order.now });
  if (isNew) await request(mpesa, key, paymentOf(mpesa, order, number));
  const [row] = await findMpesaOrders(mpesa.db, [order.id]);
  return row === undefined ? { state: 'unknown' } : outcomeOf(row);
}

function paymentOf({ account, addresses, credential }: Mpesa, order: SendOrder, number: string): object {
  const resultUrl = addresses.urlOf(id, 'result', { merchantId: order.merchantId, orderId: order.id });
  return {
    OriginatorConversationID: orderUuid(order.id),
    InitiatorName: account.initiator,
    SecurityCredential: credential(),
    CommandID: 'BusinessPayment',
    Amount: Number(order.amount / 100n),
    PartyA: account.shortcode,
    PartyB: number,
    Remarks: noteOf(order),
    QueueTimeOutURL: resultUrl,
    ResultURL: resultUrl,
    // Daraja's name of this field has this spelling.
    Occassion: 'Payout',
  };
}

/** Sends a payment. Without a clear answer, the order stays `sent`, and its transaction status decides. */
async function request({ api, db }: Mpesa, key: OrderKey, payment: object): Promise<void> {
  const answer = await api.call({ path: '/mpesa/b2c/v3/paymentrequest', json: payment });
  if (answer.state === 'unsent' || isThrottled(answer)) return await deleteUnsentOrder(db, key);
  if (answer.state !== 'answered' || answer.body === null) return;
  const code = textOf(answer.body, 'ResponseCode');
  if (answer.status === 200 && code === '0') {
    return await acceptMpesaOrder(db, key, textOf(answer.body, 'ConversationID'));
  }
  const refusal = refusalOf(answer, code);
  if (refusal !== null) await decideMpesaOrder(db, key, refusal);
}

/** The response code for an OriginatorConversationID that M-Pesa has seen before. */
const duplicate = '15';

function refusalOf(answer: Extract<ProviderAnswer, { state: 'answered' }>, code: string | null) {
  if (answer.status === 400) return failure('provider_error', reasonOf(answer.body) ?? 'bad request');
  return answer.status === 200 && code !== null && code !== duplicate ? failureOfResult(code) : null;
}

async function statesOf(mpesa: Mpesa, orderIds: readonly string[], now: Date): Promise<(SendOutcome | null)[]> {
  const rows = new Map((await findMpesaOrders(mpesa.db, orderIds)).map(row => [row.order_id, row]));
  const open = [...rows.values()].filter(({ state }) => state === 'sent' || state === 'accepted');
  await inTurns(open, row => ask(mpesa, row, now));
  return orderIds.map(orderId => {
    const row = rows.get(orderId);
    return row === undefined ? null : outcomeOf(row);
  });
}

/**
 * Requests the transaction status, at most once in `pauseSeconds`. The status arrives later, at the order's own URL.
 * Returns `unknown` if M-Pesa does not respond to the request, otherwise null.
 */
async function ask(mpesa: Mpesa, row: MpesaOrderRow, now: Date): Promise<SendOutcome | null> {
  const { api, db, account, addresses, credential } = mpesa;
  const key = { merchantId: row.merchant_id, orderId: row.order_id };
  if (!(await claimQuestion(db, row, now, pauseSeconds))) return null;
  const answer = await api.call({
    path: '/mpesa/transactionstatus/v1/query',
    json: {
      Initiator: account.initiator,
      SecurityCredential: credential(),
      CommandID: 'TransactionStatusQuery',
      OriginatorConversationID: row.reference,
      PartyA: account.shortcode,
      IdentifierType: '4',
      ResultURL: addresses.urlOf(id, 'status', key),
      QueueTimeOutURL: addresses.urlOf(id, 'result', key),
      Remarks: 'Status',
      Occasion: 'Status',
    },
  });
  // M-Pesa has not read this request, so it may be repeated at once.
  if (answer.state === 'unsent') await makeQuestionDue(db, key);
  return answer.state === 'answered' ? null : { state: 'unknown' };
}

async function takeAnswer({ db, api }: Mpesa, key: OrderKey, body: string): Promise<void> {
  const [row] = await findMpesaOrders(db, [key.orderId]);
  if (row === undefined) return;
  const answer = readVerdict(body, row);
  if (answer.verdict !== null) await decideMpesaOrder(db, key, answer.verdict);
  else if (answer.problem !== null) api.note(answer.problem);
}

function outcomeOf(row: MpesaOrderRow): SendOutcome {
  switch (row.state) {
    case 'completed':
      return { state: 'completed', railReference: row.receipt ?? row.reference };
    case 'failed':
      return { state: 'failed', code: row.failure_code ?? '', message: row.failure_message ?? '' };
    case 'accepted':
      return { state: 'pending', railReference: row.conversation_id ?? row.reference };
    case 'sent':
      return { state: 'unknown' };
  }
}
