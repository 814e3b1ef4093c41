import './ramp.css';
import type { CustomerRamp } from '../../api/ramps/ramp.ts';
import type { PayErrorDetail } from '../../element/events.ts';

/**
 * The page of a ramp. In a frame, it tells the host page of each change, and answers its messages. It talks only to its
 * parent, at an exact origin that the service lists.
 */
const widget = document.querySelector<HTMLElement>('pay-ramp');
const session = widget?.getAttribute('ramp-id') ?? '';
const hosts = (widget?.dataset['hosts'] ?? '').split(' ');

/** Whether the service lists the origin. `http://localhost:*` stands for all ports. */
const isListed = (origin: string) =>
  hosts.some(host => host === origin || (host.endsWith(':*') && origin.startsWith(host.slice(0, -1))));

/** The host page's origin: that of the referrer, or of its first message. */
let host = originOf(document.referrer);

function originOf(address: string): string | null {
  const origin = URL.canParse(address) ? new URL(address).origin : '';
  return isListed(origin) ? origin : null;
}

interface Message {
  readonly type: 'pay-ramp-ready' | 'pay-ramp-change' | 'pay-ramp-success' | 'pay-ramp-error';
  readonly ramp?: CustomerRamp;
  readonly error?: PayErrorDetail;
}

function tell(message: Message): void {
  if (parent === window || host === null) return;
  parent.postMessage({ ...message, session }, host);
}

widget?.addEventListener('pay-ramp-change', ({ detail }) => tell({ type: 'pay-ramp-change', ramp: detail }));
widget?.addEventListener('pay-ramp-success', ({ detail }) => tell({ type: 'pay-ramp-success', ramp: detail }));
widget?.addEventListener('pay-ramp-error', ({ detail }) => tell({ type: 'pay-ramp-error', error: detail }));

addEventListener('message', ({ source, origin, data }: MessageEvent<{ type?: unknown; wallet?: unknown } | null>) => {
  if (source !== parent || parent === window || !isListed(origin)) return;
  host = origin;
  if (data?.type === 'pay-ramp-hello') tell({ type: 'pay-ramp-ready' });
  if (data?.type !== 'pay-ramp-set') return;
  // A session is bound to its wallet and amounts, so that no other script of the host page can redirect the coins.
  const message = 'The ramp is bound to its wallet and amounts. Create another ramp.';
  tell({ type: 'pay-ramp-error', error: { code: 'session_bound', message } });
});
