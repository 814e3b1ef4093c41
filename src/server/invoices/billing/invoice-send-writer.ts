import type { SentInvoice } from '../../../api/invoice/invoice-view.ts';
import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import { transact } from '../../platform/db/database.ts';
import { createGroupWriter } from '../../platform/db/group-writer.ts';
import type { GroupedCall, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import { nameOfInvoice, readInvoice } from '../invoice.store.ts';
import { type InvoiceDeps, invoiceToWire } from '../invoice.view.ts';
import {
  assertPayableCurrency,
  exchangeRate,
  type Sending,
  type SendResult,
  sendTogether,
} from './invoice-send.service.ts';
import { invoiceWarnings } from './invoice-warnings.ts';

/** A merchant's call to send an invoice. */
interface SendCall extends Sending {
  readonly call: GroupedCall;
}

interface SentCall {
  readonly result: SendResult;
  readonly answer: RenderedAnswer | null;
}

/**
 * Creates the function that sends invoices for calls. Concurrent calls share one commit, because each commit locks the
 * counter of the merchant's numbers. The function throws `illegal_state` if the invoice cannot be paid,
 * `invalid_email`, `invalid_currency` or `rate_unavailable`.
 */
export function createInvoiceSender(
  deps: InvoiceDeps,
): (call: Omit<SendCall, 'rate' | 'isPriced'>) => Promise<RenderedAnswer> {
  const { write } = createGroupWriter<SendCall, SentCall>({
    maxBatch: 64,
    maxParallel: 1,
    keyOf: ({ sender, invoiceId }) => nameOfInvoice({ merchantId: sender.merchant.id, invoiceId }),
    write: calls => sendCalls(deps, calls),
  });
  return async call => {
    const { email, sender, invoiceId } = call;
    if (email !== null && !isEmail(email)) {
      throw new PayError('invalid_email', `“${email.slice(0, 80)}” is not an e-mail address.`, { param: 'email' });
    }
    let sent = await write({ ...call, rate: null, isPriced: false });
    if (sent.result === 'unrated') {
      const invoice = await readInvoice(deps.db, sender, invoiceId);
      await assertPayableCurrency(deps, invoice);
      sent = await write({ ...call, rate: await exchangeRate(deps, invoice), isPriced: true });
    }
    if (sent.result instanceof PayError) throw sent.result;
    if (sent.answer === null) throw new Error(`the invoice ${invoiceId} was not sent`);
    return sent.answer;
  };
}

async function sendCalls(deps: InvoiceDeps, calls: readonly SendCall[]): Promise<SentCall[]> {
  const answers = new Map<number, RenderedAnswer>();
  const results = await transact(deps.db, tx =>
    sendTogether(tx, deps, calls, (index, row) => {
      const call = calls[index];
      if (call === undefined) return null;
      const { now, merchant } = call.sender;
      const body: SentInvoice = { ...invoiceToWire(deps, row, now), warnings: invoiceWarnings(row, merchant) };
      const { sent, kept } = call.call.renderOnce({ status: 200, body });
      answers.set(index, sent);
      return kept;
    }),
  );
  return results.map((result, index) => ({ result, answer: answers.get(index) ?? null }));
}
