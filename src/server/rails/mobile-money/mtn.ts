import { currencyDecimals } from '../../../core/currency.ts';
import { formatUnits } from '../../../core/money.ts';
import { inTurns, type SendOrder, type SendOutcome } from '../../outbound/sender.ts';
import {
  type CallbackAddresses,
  createConnector,
  failure,
  type MobileMoneyConnector,
  type MobileMoneyFailure,
  noteOf,
  orderUuid,
} from './connector.ts';
import { createMtnApi, type MtnAccount, mtnReason } from './mtn-api.ts';
import { type JsonFields, type ProviderApi, type ProviderDeps, reasonOf, textOf } from './provider-api.ts';

interface MtnDeps extends ProviderDeps {
  readonly account: MtnAccount;
  readonly addresses: CallbackAddresses;
}

const id = 'mtn';
const transfers = '/disbursement/v1_0/transfer';

/**
 * Pays by MTN MoMo (Disbursements 1.0). Paths, headers, bodies and states follow MTN's published API. The connector was
 * tested against a fake of this API only, never against MTN.
 *
 * The order's UUID is the `X-Reference-Id`. MTN answers 409 to a repeated id, and the state of the first transfer
 * counts. MTN calls back at most once, so orders are polled as well.
 */
export function createMtnRail({ account, addresses, ...deps }: MtnDeps): MobileMoneyConnector {
  const api = createMtnApi({ ...deps, name: 'MTN MoMo', product: 'disbursement', account });
  return createConnector({
    id,
    currency: account.currency,
    pay: (order, number) => transfer(api, order, number, addresses),
    status: orderIds => inTurns(orderIds, orderId => transferStatus(api, orderId)),
    problem: api.problem,
    receive: async token => addresses.open(id, 'callback', token),
  });
}

async function transfer(
  api: ProviderApi,
  order: SendOrder,
  number: string,
  addresses: CallbackAddresses,
): Promise<SendOutcome> {
  const reference = orderUuid(order.id);
  const callbackUrl = addresses.urlOf(id, 'callback', { merchantId: order.merchantId, orderId: order.id });
  const answer = await api.call({
    path: transfers,
    headers: { 'x-reference-id': reference, 'x-callback-url': callbackUrl },
    json: {
      amount: formatUnits(order.amount, currencyDecimals(order.currency)),
      currency: order.currency,
      externalId: order.id,
      payee: { partyIdType: 'MSISDN', partyId: number },
      payerMessage: noteOf(order),
      payeeNote: noteOf(order),
    },
  });
  if (answer.state !== 'answered') return { state: 'unknown' };
  if (answer.status === 202) return { state: 'pending', railReference: reference };
  const isRefused = answer.status === 400 && answer.body !== null;
  if (answer.status !== 409 && !isRefused) return { state: 'unknown' };
  // The refusal does not count if MTN accepted an earlier request of the same order.
  const known = await transferStatus(api, order.id);
  if (known !== null) return known;
  return isRefused ? failure('provider_error', reasonOf(answer.body) ?? 'bad request') : { state: 'unknown' };
}

/** The state of the order's transfer. Null only if MTN answers that it does not know the transfer. */
async function transferStatus(api: ProviderApi, orderId: string): Promise<SendOutcome | null> {
  const reference = orderUuid(orderId);
  const answer = await api.call({ path: `${transfers}/${reference}` });
  if (answer.state !== 'answered' || answer.body === null) return { state: 'unknown' };
  if (answer.status === 404 && textOf(answer.body, 'code') === 'RESOURCE_NOT_FOUND') return null;
  if (answer.status !== 200) return { state: 'unknown' };
  if (textOf(answer.body, 'externalId') !== orderId) {
    api.note('returned a different transfer than the requested one');
    return { state: 'unknown' };
  }
  return outcomeOf(answer.body, reference);
}

/** MTN's reasons. Others become `provider_error`: they concern the account, the settings or MTN itself. */
const reasons: Readonly<Record<string, MobileMoneyFailure>> = {
  PAYEE_NOT_FOUND: 'recipient_not_found',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'recipient_not_allowed',
  PAYEE_LIMIT_REACHED: 'account_limit_reached',
  PAYER_LIMIT_REACHED: 'account_limit_reached',
  NOT_ENOUGH_FUNDS: 'insufficient_funds',
  EXPIRED: 'expired',
};

function outcomeOf(body: JsonFields, reference: string): SendOutcome {
  switch (textOf(body, 'status')) {
    case 'PENDING':
      return { state: 'pending', railReference: reference };
    case 'SUCCESSFUL':
      return { state: 'completed', railReference: textOf(body, 'financialTransactionId') ?? reference };
    case 'FAILED': {
      const reason = mtnReason(body) ?? 'no reason';
      return failure((Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ?? 'provider_error', reason);
    }
    default:
      return { state: 'unknown' };
  }
}
