import type { Delivery, WebhookEndpoint } from '../../api/event.ts';
import { chip, type StateTable, statusChip } from '../controls/status-chip.ts';

const reasons = { gone: 'Off: it answered 410', failing: 'Off: failed for 5 days' } as const;

/** Whether the endpoint gets events, and if not, why. */
export function endpointChip({ status, disabled_reason: reason }: WebhookEndpoint) {
  if (status === 'enabled') return chip('On', 'good');
  return chip(reason === null ? 'Off' : reasons[reason], reason === null ? 'plain' : 'bad');
}

const deliveries: StateTable = {
  pending: ['Waiting', 'busy'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'plain'],
};

/** Milliseconds until a page reads an unsent delivery again. */
export const resendPauseMs = 1_000;

/** Whether no attempt has ended yet. The first attempt starts at once, and counts from its start. */
export const isUnsent = ({ status, response_status: answer, last_error: error }: Delivery): boolean =>
  status === 'pending' && answer === null && error === null;

export const deliveryChip = ({ status }: Delivery) => statusChip(status, deliveries);

const errors: Readonly<Record<string, string>> = {
  http_error: 'refused',
  redirect: 'it redirects; redirects are not followed',
  timeout: 'no answer within 15 seconds',
  blocked_ip: 'the address is not allowed',
  dns_failed: 'the host name is not known',
  connection_refused: 'nothing listens there',
  connection_reset: 'the connection was cut',
  tls_error: 'the certificate is not valid',
};

/** The response in words: `204`, or `500: refused`, or why there was no response. */
export function answerWords({
  response_status: status,
  last_error: error,
}: Pick<Delivery, 'response_status' | 'last_error'>): string {
  const words = error === null ? '' : (errors[error] ?? error);
  return [status === null ? '' : String(status), words].filter(Boolean).join(': ') || 'Not sent yet';
}
