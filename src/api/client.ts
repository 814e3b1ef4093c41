import type { Static } from 'typebox';
import type { Balance } from './balance/balance.ts';
import type { RateAnswer } from './balance/rate.ts';
import { approvals } from './client/approval-client.ts';
import { balance } from './client/balance-client.ts';
import { pathId, verbs } from './client/calls.ts';
import { customers } from './client/customer-client.ts';
import { domains } from './client/domain-client.ts';
import { invoices, recurringInvoices } from './client/invoice-client.ts';
import { kyc } from './client/kyc-client.ts';
import { liveFeed, type StreamOptions } from './client/live-feed.ts';
import { mails } from './client/mail-client.ts';
import { payoutBatches, payouts } from './client/payout-client.ts';
import { bankAnswers, capabilities, person, session, team, treasury } from './client/people-client.ts';
import { ramps } from './client/ramp-client.ts';
import { recipients } from './client/recipient-client.ts';
import { reports, requests, search } from './client/report-client.ts';
import { settlements } from './client/settlement-client.ts';
import { type CallOptions, createTransport, type PayClientOptions, type Transport } from './client/transport.ts';
import type { CreateWalletTransaction, SubmitWalletTransaction, WalletTransaction } from './crypto.ts';
import type { PaymentHistory } from './dashboard/payment-history.ts';
import type { Dispute, SubmitEvidence } from './disputes/dispute.ts';
import type {
  CreateWebhookEndpoint,
  Delivery,
  DeliveryDetails,
  Event as PayEvent,
  RedeliverEvent,
  TestWebhookEndpoint,
  TriggerEvent,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from './event.ts';
import type { Kyc, TestKyc } from './kyc/kyc.ts';
import type { CreatePaymentLink, PaymentLink, PayPaymentLink, UpdatePaymentLink } from './link.ts';
import type { Account, ApiKey, CreateApiKey, UpdateAccount } from './merchant.ts';
import { type ListParams, listOf, type Page } from './pages.ts';
import type {
  CapturePayment,
  CheckoutAccess,
  CreatePayment,
  OpenedCheckout,
  Payment,
  PaymentOptions,
  RefreshedQuote,
  ResolvePayment,
  UpdatePayment,
} from './payment.ts';
import type { ConfirmPayment, PaymentAttempt } from './payments/attempt.ts';
import type { Ramp } from './ramps/ramp.ts';
import type { CreateRefund, Refund } from './refund.ts';
import type { Deleted } from './schema.ts';
import type {
  AdvanceClock,
  FundBalance,
  TestBankTransfer,
  TestClock,
  TestDeposit,
  TestDepositMade,
  TestDispute,
  TestPhoneAnswer,
  TestRamp,
} from './test-helpers.ts';
import type { AssignTransfer, ReturnTransfer, Transfer } from './transfer.ts';

export { PayApiError } from './client/api-error.ts';
export type { StreamOptions } from './client/live-feed.ts';
export type { CallOptions, Fetch, PayClientOptions } from './client/transport.ts';
export type * from './objects.ts';
export type { ListParams, Page, PagedList } from './pages.ts';

/** A client of the payment service; see `createPayClient`. */
export type PayClient = ReturnType<typeof createPayClient>;

/**
 * A typed client of the payment service for Node and browsers. It retries calls that may succeed later, with growing
 * pauses or after the time in `Retry-After`. Retries of a POST carry the same `Idempotency-Key`. `for await` iterates a
 * list. A failed call throws `PayApiError`. Throws TypeError for a secret key in a browser.
 *
 * @example
 * const pay = createPayClient({ baseUrl: 'https://pay.example', apiKey: process.env.PAY_SECRET_KEY });
 * const payment = await pay.payments.create({ amount: 12840, currency: 'EUR', … });
 * for await (const event of pay.events.list({ limit: 100 })) console.log(event.type);
 */
export function createPayClient(options: PayClientOptions) {
  const transport = createTransport(options);
  return {
    payments: payments(transport),
    refunds: refunds(transport),
    disputes: disputes(transport),
    paymentLinks: paymentLinks(transport),
    invoices: invoices(transport),
    recurringInvoices: recurringInvoices(transport),
    customers: customers(transport),
    kyc: kyc(transport),
    ramps: ramps(transport),
    domains: domains(transport),
    recipients: recipients(transport),
    payouts: payouts(transport),
    payoutBatches: payoutBatches(transport),
    settlements: settlements(transport),
    approvals: approvals(transport),
    reports: reports(transport),
    requests: requests(transport),
    search: search(transport),
    mails: mails(transport),
    session: session(transport),
    person: person(transport),
    team: team(transport),
    treasury: treasury(transport),
    bankAnswers: bankAnswers(transport),
    capabilities: capabilities(transport),
    events: events(transport),
    webhookEndpoints: webhookEndpoints(transport),
    apiKeys: apiKeys(transport),
    testHelpers: testHelpers(transport),
    ...account(transport),
  };
}

function payments(transport: Transport) {
  const { get, post, patch } = verbs(transport);
  const at = (id: string) => `/v1/payments/${pathId(id)}`;
  return {
    create: (body: CreatePayment, options?: CallOptions) => post<Payment>('/v1/payments', body, options),
    retrieve: (id: string, options?: CallOptions) => get<Payment>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<Payment>(transport, '/v1/payments', params, options),
    /** Changes description and metadata. */
    update: (id: string, body: UpdatePayment, options?: CallOptions) => patch<Payment>(at(id), body, options),
    /** The methods and assets that the payer can choose, with their amounts. */
    options: (id: string, options?: CallOptions) => get<PaymentOptions>(`${at(id)}/options`, options),
    /** The payer's view of the payment and the ways to pay it, for `opened` of `<pay-checkout>`. */
    open: (body: CheckoutAccess, options?: CallOptions) => post<OpenedCheckout>('/v1/checkout/open', body, options),
    /** Renews the payment's quote. The answer contains the new and the previous quote. */
    quote: (id: string, options?: CallOptions) =>
      post<Static<typeof RefreshedQuote>>(`${at(id)}/quotes`, undefined, options),
    confirm: (id: string, body: ConfirmPayment, options?: CallOptions) =>
      post<Payment>(`${at(id)}/confirm`, body, options),
    /** Creates a transaction for the payer's wallet to sign. */
    createWalletTransaction: (id: string, body: CreateWalletTransaction, options?: CallOptions) =>
      post<WalletTransaction>(`${at(id)}/wallet_transactions`, body, options),
    /** Submits the transaction that the wallet signed. */
    submitWalletTransaction: (id: string, wtx: string, body: SubmitWalletTransaction, options?: CallOptions) =>
      post<Payment>(`${at(id)}/wallet_transactions/${pathId(wtx)}/submit`, body, options),
    cancel: (id: string, options?: CallOptions) => post<Payment>(`${at(id)}/cancel`, undefined, options),
    /** Captures an authorized card. Without `amount`, captures the whole authorized amount. */
    capture: (id: string, body: CapturePayment = {}, options?: CallOptions) =>
      post<Payment>(`${at(id)}/capture`, body, options),
    /** Without `amount`, refunds the remaining amount. */
    refund: (id: string, body: CreateRefund = {}, options?: CallOptions) =>
      post<Refund>(`${at(id)}/refunds`, body, options),
    refunds: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Refund>(transport, `${at(id)}/refunds`, params, options),
    /** The payment with all that happened to it, oldest first. */
    history: (id: string, options?: CallOptions) => get<PaymentHistory>(`${at(id)}/history`, options),
    /** The attempts to charge a card. */
    attempts: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<PaymentAttempt>(transport, `${at(id)}/attempts`, params, options),
    /** The receipt of a completed payment as PDF. */
    receipt: (id: string, options?: CallOptions) =>
      transport.call<ArrayBuffer>({ method: 'GET', path: `${at(id)}/receipt`, isFile: true }, options),
    /** Accepts or refunds money that needs the merchant's decision, such as an excess. */
    resolve: (id: string, body: ResolvePayment, options?: CallOptions) =>
      post<Payment>(`${at(id)}/resolve`, body, options),
    /** Yields the payment now and after each change, until the signal aborts or the loop ends. */
    stream: (id: string, options?: CallOptions) => liveFeed<Payment>(transport, `${at(id)}/stream`, options),
  };
}

/** The refunds of all payments. `payments.refund` creates refunds. */
function refunds(transport: Transport) {
  const { get } = verbs(transport);
  return {
    retrieve: (id: string, options?: CallOptions) => get<Refund>(`/v1/refunds/${pathId(id)}`, options),
    list: (params?: ListParams, options?: CallOptions) => listOf<Refund>(transport, '/v1/refunds', params, options),
  };
}

/** Disputes of card payments by their cardholders. */
function disputes(transport: Transport) {
  const { get, post } = verbs(transport);
  const at = (id: string) => `/v1/disputes/${pathId(id)}`;
  return {
    retrieve: (id: string, options?: CallOptions) => get<Dispute>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<Dispute>(transport, '/v1/disputes', params, options),
    /** Answers the dispute. This is possible once. */
    submitEvidence: (id: string, body: SubmitEvidence, options?: CallOptions) =>
      post<Dispute>(`${at(id)}/evidence`, body, options),
    /** Accepts the loss. The cardholder keeps the amount. */
    accept: (id: string, options?: CallOptions) => post<Dispute>(`${at(id)}/accept`, undefined, options),
  };
}

function events(transport: Transport) {
  const { get, post } = verbs(transport);
  return {
    list: (params?: ListParams, options?: CallOptions) => listOf<PayEvent>(transport, '/v1/events', params, options),
    retrieve: (id: string, options?: CallOptions) => get<PayEvent>(`/v1/events/${pathId(id)}`, options),
    /**
     * Delivers the event again to `endpoint`, or without it to every endpoint for its type. The answer lists the new
     * deliveries.
     */
    redeliver: (id: string, body: Static<typeof RedeliverEvent> = {}, options?: CallOptions) =>
      post<Page<Delivery>>(`/v1/events/${pathId(id)}/redeliver`, body, options),
    /** The deliveries of the event to webhook endpoints. */
    deliveries: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Delivery>(transport, `/v1/events/${pathId(id)}/deliveries`, params, options),
    /**
     * Yields every event from now on, until the signal aborts or the loop ends. With `lastEventId`, first yields the
     * events after that event; `0` means all. After a lost connection, an event may come twice.
     */
    stream: (options?: StreamOptions) => liveFeed<PayEvent>(transport, '/v1/events/stream', options),
    /** The event types that the service's OpenAPI document lists. */
    types: async (options?: CallOptions) =>
      Object.keys((await get<{ readonly webhooks: object }>('/openapi.json', options)).webhooks),
  };
}

function webhookEndpoints(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const all = '/v1/webhook-endpoints';
  const at = (id: string) => `${all}/${pathId(id)}`;
  return {
    /** Creates an endpoint. Only this answer contains its `secret`. */
    create: (body: CreateWebhookEndpoint, options?: CallOptions) => post<WebhookEndpoint>(all, body, options),
    retrieve: (id: string, options?: CallOptions) => get<WebhookEndpoint>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<WebhookEndpoint>(transport, all, params, options),
    update: (id: string, body: UpdateWebhookEndpoint, options?: CallOptions) =>
      patch<WebhookEndpoint>(at(id), body, options),
    delete: (id: string, options?: CallOptions) => remove<Static<typeof Deleted>>(at(id), options),
    /** Only this answer contains the new `secret`. For 24 hours, the old secret signs events, too. */
    rotateSecret: (id: string, options?: CallOptions) =>
      post<WebhookEndpoint>(`${at(id)}/rotate-secret`, undefined, options),
    deliveries: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Delivery>(transport, `${at(id)}/deliveries`, params, options),
    /** One delivery with each attempt and the sent content. */
    delivery: (id: string, deliveryId: string, options?: CallOptions) =>
      get<DeliveryDetails>(`${at(id)}/deliveries/${pathId(deliveryId)}`, options),
    /** Sends a sample event. */
    test: (id: string, body: Static<typeof TestWebhookEndpoint> = {}, options?: CallOptions) =>
      post<Delivery>(`${at(id)}/test`, body, options),
  };
}

function apiKeys(transport: Transport) {
  const { post, remove } = verbs(transport);
  return {
    list: (params?: ListParams, options?: CallOptions) => listOf<ApiKey>(transport, '/v1/api-keys', params, options),
    /** Creates a key. Only this answer contains its text (`key`). */
    create: (body: CreateApiKey, options?: CallOptions) => post<ApiKey>('/v1/api-keys', body, options),
    delete: (id: string, options?: CallOptions) =>
      remove<Static<typeof Deleted>>(`/v1/api-keys/${pathId(id)}`, options),
  };
}

function account(transport: Transport) {
  const { get, post, patch } = verbs(transport);
  return {
    account: {
      retrieve: (options?: CallOptions) => get<Account>('/v1/account', options),
      /** Changes the account. Absent fields stay unchanged. */
      update: (body: UpdateAccount, options?: CallOptions) => patch<Account>('/v1/account', body, options),
    },
    balance: balance(transport),
    transfers: {
      /** Money that arrived at the bank or on a chain. `status: 'unmatched'` waits for the merchant's decision. */
      list: (params?: ListParams, options?: CallOptions) =>
        listOf<Transfer>(transport, '/v1/transfers', params, options),
      /** Assigns unmatched money to a payment. */
      assign: (id: string, body: AssignTransfer, options?: CallOptions) =>
        post<Transfer>(`/v1/transfers/${pathId(id)}/assign`, body, options),
      /** Returns unmatched money, by default to its sender. */
      return: (id: string, body: ReturnTransfer = {}, options?: CallOptions) =>
        post<Transfer>(`/v1/transfers/${pathId(id)}/return`, body, options),
    },
    rates: {
      /** The current price of one whole unit of `from` in `to`. */
      retrieve: ({ from, to }: { from: string; to: string }, options?: CallOptions) =>
        get<Static<typeof RateAnswer>>(`/v1/rates?${new URLSearchParams({ from, to })}`, options),
    },
  };
}

/** Calls that exist in test mode only. */
function testHelpers(transport: Transport) {
  const { get, post } = verbs(transport);
  const at = (name: string) => `/v1/test_helpers/${name}`;
  return {
    /** Simulates a transfer to the sandbox bank. */
    bankTransfer: (body: TestBankTransfer, options?: CallOptions) =>
      post<Transfer>(at('bank_transfers'), body, options),
    /** Sends crypto by a real transaction on the sandbox network. */
    deposit: (body: TestDeposit, options?: CallOptions) =>
      post<Static<typeof TestDepositMade>>(at('deposits'), body, options),
    /** Reads the merchant's test clock. */
    clock: (options?: CallOptions) => get<Static<typeof TestClock>>(at('clock'), options),
    /** Advances the test clock. Expiry, retries and schedules follow it. */
    advanceClock: (body: AdvanceClock, options?: CallOptions) =>
      post<Static<typeof TestClock>>(at('clock'), body, options),
    /** Sends a sample of an event type to the endpoints that listen to it. */
    triggerEvent: (body: Static<typeof TriggerEvent>, options?: CallOptions) =>
      post<PayEvent>(at('events'), body, options),
    /** Simulates a dispute of a payment by the cardholder. */
    dispute: (body: TestDispute, options?: CallOptions) => post<Payment>(at('cards/disputes'), body, options),
    /** Sets the status of a customer's identity check. */
    kyc: (customerId: string, body: TestKyc, options?: CallOptions) =>
      post<Kyc>(at(`customers/${pathId(customerId)}/kyc`), body, options),
    /** Moves a ramp to another state, as its customer, bank or merchant does. */
    ramp: (id: string, body: TestRamp, options?: CallOptions) => post<Ramp>(at(`ramps/${pathId(id)}`), body, options),
    /** Answers the open phone prompt of a payment, as the payer does. */
    mobileMoney: (body: TestPhoneAnswer, options?: CallOptions) => post<Payment>(at('mobile_money'), body, options),
    /** Adds test money to the balance. */
    fund: (body: FundBalance, options?: CallOptions) => post<Balance>(at('fund'), body, options),
  };
}

/** Payment links. Opening and paying a link needs no key. */
function paymentLinks(transport: Transport) {
  const { get, post, patch } = verbs(transport);
  const all = '/v1/payment-links';
  const at = (id: string) => `${all}/${pathId(id)}`;
  return {
    create: (body: CreatePaymentLink, options?: CallOptions) => post<PaymentLink>(all, body, options),
    retrieve: (id: string, options?: CallOptions) => get<PaymentLink>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<PaymentLink>(transport, all, params, options),
    /** Changes status, texts, times, `redirect_url` and metadata of the link. The price never changes. */
    update: (id: string, body: UpdatePaymentLink, options?: CallOptions) => patch<PaymentLink>(at(id), body, options),
    payments: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Payment>(transport, `${at(id)}/payments`, params, options),
    /** Creates a payment of the link, as its page does. */
    pay: (id: string, body: PayPaymentLink, options?: CallOptions) =>
      post<Payment>(`${at(id)}/payments`, body, options),
  };
}
