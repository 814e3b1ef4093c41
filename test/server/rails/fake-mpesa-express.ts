import type { FakeAnswer } from './fake-provider.ts';

/** An STK push. `resultCode`: null until the payer has answered. */
export interface MpesaPush {
  readonly checkoutId: string;
  readonly body: Readonly<Record<string, unknown>>;
  resultCode: string | null;
}

/** What M-Pesa Express has shown, and how it answers. */
export interface FakeExpress {
  readonly pushes: MpesaPush[];
  /** The ResultCodes of pushes to these numbers. */
  readonly deciding: Map<string, string>;
  /** Fields that replace those of answers to queries. */
  answering: Readonly<Record<string, string>>;
  passkey: string;
}

const shortcode = '600999';

/** M-Pesa Express by its documentation: `processrequest` shows a prompt for each call, and `query` tells its result. */
export function collect(express: FakeExpress, path: string, body: MpesaPush['body']): FakeAnswer {
  const { pushes, passkey, answering } = express;
  const { BusinessShortCode: sender, Password: password, Timestamp: timestamp } = body;
  const right = Buffer.from(`${shortcode}${passkey}${timestamp}`).toString('base64');
  if (password !== right || sender !== shortcode || !/^\d{14}$/.test(String(timestamp))) {
    return refusal(500, '500.001.1001', 'Wrong credentials');
  }
  if (path === '/mpesa/stkpush/v1/processrequest') return push(express, body);
  const found = pushes.find(({ checkoutId }) => checkoutId === body['CheckoutRequestID']);
  if (path !== '/mpesa/stkpushquery/v1/query' || found === undefined) {
    return refusal(400, '400.002.02', 'Bad Request - Invalid CheckoutRequestID');
  }
  if (found.resultCode === null && !('ResultCode' in answering))
    return refusal(500, '500.001.1001', 'The transaction is being processed');
  const answer = { ...accepted(found.checkoutId), ResultCode: found.resultCode, ResultDesc: 'Text', ...answering };
  return { status: 200, body: answer };
}

function push({ pushes, deciding }: FakeExpress, body: MpesaPush['body']): FakeAnswer {
  const number = String(body['PhoneNumber']);
  if (number === '254700000000') return refusal(400, '400.002.02', 'Bad Request - Invalid PhoneNumber');
  const isRight =
    Number.isInteger(body['Amount']) &&
    body['PartyA'] === number &&
    /^[A-Za-z0-9]{1,12}$/.test(String(body['AccountReference'])) &&
    String(body['TransactionDesc']).length <= 13;
  if (!isRight) return refusal(400, '400.002.02', 'Bad Request - Invalid Amount');
  const checkoutId = `ws_CO_2011202615000${pushes.length}_${number}`;
  pushes.push({ checkoutId, body, resultCode: deciding.get(number) ?? null });
  return { status: 200, body: { ...accepted(checkoutId), CustomerMessage: 'Success' } };
}

/** What M-Pesa posts to the address of a push. Only a collected push has metadata. */
export function callbackOf({ checkoutId, body, resultCode }: MpesaPush): object {
  const metadata = {
    Item: [
      { Name: 'Amount', Value: body['Amount'] },
      { Name: 'MpesaReceiptNumber', Value: receiptOf(checkoutId) },
      { Name: 'Balance' },
      { Name: 'PhoneNumber', Value: Number(body['PhoneNumber']) },
    ],
  };
  const stkCallback = {
    MerchantRequestID: '16813-1590513-1',
    CheckoutRequestID: checkoutId,
    ResultCode: Number(resultCode ?? '1037'),
    ResultDesc: 'Text',
    ...(resultCode === '0' && { CallbackMetadata: metadata }),
  };
  return { Body: { stkCallback } };
}

export const receiptOf = (checkoutId: string) => `RLA${checkoutId.slice(-24).replace(/\W|_/g, '')}`;

const accepted = (checkoutId: string) => ({
  MerchantRequestID: '16813-1590513-1',
  CheckoutRequestID: checkoutId,
  ResponseCode: '0',
  ResponseDescription: 'Success. Request accepted for processing',
});

const refusal = (status: number, errorCode: string, errorMessage: string): FakeAnswer => ({
  status,
  body: { requestId: '4788-81090592-4', errorCode, errorMessage },
});
