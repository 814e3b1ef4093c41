/** Route of a call: from the browser, from the shop's server, or from the browser through the shop's proxy. */
export type CallWay = 'browser' | 'shop' | 'proxy';

/** A call to the payment service, as the developer panel shows it. Bodies are masked. */
export interface CallActivity {
  readonly kind: 'call';
  readonly from: CallWay;
  readonly method: string;
  readonly path: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Milliseconds from the request to the response headers. */
  readonly ms: number;
  /** The body from the browser, when the shop's proxy sent the service a different body. */
  readonly received?: unknown;
  readonly request: unknown;
  readonly response: unknown;
}

/** An event from the service's event stream. */
export interface EventActivity {
  readonly kind: 'event';
  readonly type: string;
  readonly body: unknown;
}

/** A received webhook. */
export interface WebhookActivity {
  readonly kind: 'webhook';
  readonly type: string;
  readonly verified: boolean;
  /** The shop's response status. */
  readonly status: number;
  readonly body: unknown;
}

/** A message from the shop's server. */
export interface NoticeActivity {
  readonly kind: 'notice';
  readonly text: string;
}

export type Activity = CallActivity | EventActivity | WebhookActivity | NoticeActivity;

/** An activity in the log. */
export type Entry = Activity & {
  readonly sequence: number;
  /** RFC 3339. */
  readonly at: string;
};
