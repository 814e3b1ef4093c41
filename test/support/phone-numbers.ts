let made = 0;

/**
 * A number of MTN in Uganda that no other test has used: a phone gets one prompt of a merchant at a time. `ending`: the
 * last three digits, which decide the outcome in test mode. 000 waits for an answer.
 */
export function freshNumber(ending = '000'): string {
  return `+25677${String(made++ % 10_000).padStart(4, '0')}${ending}`;
}
