/** A payment that was begun on this page, as this tab remembers it. */
export interface BegunPayment {
  readonly id: string;
  readonly client_secret: string;
}

const keyOf = (token: string) => `pay-invoice:${token}`;

/** The payment begun in this tab, so that a reload does not begin another. */
export function recallPayment(token: string): BegunPayment | null {
  try {
    const text = sessionStorage.getItem(keyOf(token));
    return text === null ? null : (JSON.parse(text) as BegunPayment);
  } catch {
    return null;
  }
}

/** Remembers it; null forgets. A browser that keeps nothing begins another after a reload. */
export function rememberPayment(token: string, payment: BegunPayment | null): void {
  try {
    if (payment === null) sessionStorage.removeItem(keyOf(token));
    else sessionStorage.setItem(keyOf(token), JSON.stringify(payment));
  } catch {
    // Nothing can be kept here.
  }
}
