import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { networkOf } from '../../platform/http/access/rate-limit.ts';
import { openStream } from '../../platform/http/sse.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { nameOf } from '../payment.store.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import type { PaymentRow } from '../tables.ts';

/** The most open streams of one payment for a network address in this process. */
const mostStreams = 10;
const retrySeconds = 5;

/** The streams of one payment in this process. They share one subscription and one read of each change. */
interface Followed {
  readonly streams: Set<FollowingStream>;
  /** Reads the payment, and sends a new version to all streams. Reads follow each other, so versions stay in order. */
  read(): void;
  end(): void;
}

interface FollowingStream {
  send(row: PaymentRow): void;
  close(): void;
}

export type PaymentFeed = ReturnType<typeof createPaymentFeed>;

/** Creates the streams of payments. */
export function createPaymentFeed(deps: PaymentRouteDeps) {
  const followed = new Map<string, Followed>();
  const openOf = new Map<string, number>();

  function countOpen(asker: string, change: 1 | -1): void {
    const open = (openOf.get(asker) ?? 0) + change;
    if (open > 0) openOf.set(asker, open);
    else openOf.delete(asker);
  }

  return {
    /**
     * Answers with a stream of the payment: its current version unless that is `seenVersion`, and newer versions.
     * Changes in quick succession give one version. Throws `resource_missing`, or `rate_limited` when the network
     * address has too many streams of the payment.
     */
    open: async (request: FastifyRequest, reply: FastifyReply, paymentId: string, seenVersion: number) => {
      const caller = callerOf(request);
      const key = { merchantId: caller.merchant.id, paymentId };
      const name = nameOf(key);
      const asker = `${name} ${networkOf(request.ip)}`;
      if ((openOf.get(asker) ?? 0) >= mostStreams) throw tooMany();
      countOpen(asker, 1);
      const stream = await readPayment(deps, caller, paymentId)
        .then(() => openStream(request, reply))
        .catch(error => {
          countOpen(asker, -1);
          throw error;
        });
      let seen = seenVersion;
      const following: FollowingStream = {
        close: stream.close,
        send: row => {
          if (row.version === seen) return;
          seen = row.version;
          stream.send({ id: String(row.version), event: 'payment', data: viewFor(deps, caller, row) });
        },
      };
      const payment = followed.get(name) ?? followPayment(deps, caller, paymentId);
      followed.set(name, payment);
      payment.streams.add(following);
      stream.signal.addEventListener('abort', () => {
        countOpen(asker, -1);
        payment.streams.delete(following);
        if (payment.streams.size > 0 || followed.get(name) !== payment) return;
        followed.delete(name);
        payment.end();
      });
      payment.read();
    },
  };
}

function followPayment(deps: PaymentRouteDeps, caller: Caller, paymentId: string): Followed {
  const { livemode } = caller;
  const { id: merchantId } = caller.merchant;
  const streams = new Set<FollowingStream>();
  let isReading = false;
  let hasChanged = false;
  async function readAll(): Promise<void> {
    isReading = true;
    while (hasChanged && streams.size > 0) {
      hasChanged = false;
      const merchant = await deps.findMerchant(merchantId);
      const now = merchantNow(merchant, livemode, deps.clock.now());
      const row = await readPayment(deps, { ...caller, merchant, now }, paymentId);
      for (const stream of streams) stream.send(row);
    }
  }
  const read = () => {
    hasChanged = true;
    if (isReading) return;
    readAll()
      // Closed streams make the clients reconnect and resume.
      .catch(() => closeAll())
      .finally(() => {
        isReading = false;
        if (hasChanged && streams.size > 0) read();
      });
  };
  const closeAll = () => {
    for (const stream of streams) stream.close();
  };
  const end = deps.live.subscribe({ merchantId, resourceId: paymentId }, read);
  return { streams, read, end };
}

function tooMany(): PayError {
  const message = `This address follows the payment in ${mostStreams} streams already. Close one first.`;
  return new PayError('rate_limited', message, { retryAfterSeconds: retrySeconds });
}
