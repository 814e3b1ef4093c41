/** Which way a call took: from the browser, from the shop's server, or from the browser through the shop's proxy. */
export type CallWay = 'browser' | 'shop' | 'proxy';

/** A call to the payment service, as the developer panel shows it. Bodies are masked. */
export interface CallActivity {
  readonly kind: 'call';
  readonly from: CallWay;
  readonly method: string;
  readonly path: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Milliseconds from the call to the head of the answer. */
  readonly ms: number;
  /** What the browser had sent, where the shop's proxy sent something else. */
  readonly received?: unknown;
  readonly request: unknown;
  readonly response: unknown;
}

/** An event of the service, read from its stream. */
export interface EventActivity {
  readonly kind: 'event';
  readonly type: string;
  readonly body: unknown;
}

/** A webhook that came in, and what became of it. */
export interface WebhookActivity {
  readonly kind: 'webhook';
  readonly type: string;
  readonly verified: boolean;
  /** What the shop answered. */
  readonly status: number;
  readonly body: unknown;
}

/** Something the shop's server has to say. */
export interface NoticeActivity {
  readonly kind: 'notice';
  readonly text: string;
}

/** What the panel can show. */
export type Activity = CallActivity | EventActivity | WebhookActivity | NoticeActivity;

/** An activity with its place in the log. */
export type Entry = Activity & {
  readonly sequence: number;
  /** RFC 3339. */
  readonly at: string;
};
