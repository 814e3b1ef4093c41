import { describe, expect, it } from 'vitest';
import type { Area } from '../../src/core/locale/string-areas.ts';
import { stringsFor } from '../../src/core/locale/string-tables.ts';
import { englishProblems } from '../../src/pages/card-frame/problem-strings.ts';
import { declineMessages } from '../../src/sandbox/test-cards.ts';

const areas: readonly Area[] = ['invoice', 'mail', 'document', 'link', 'checkout-page', 'refund-page'];
const elementParts =
  'bank card challenge contact crypto details launcher outcome pay-link rate rows situation trouble wallet';

/** All sentences of a table, by path. */
function sentencesOf(table: object, path = ''): [path: string, sentence: string][] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[`${path}.${key}`, value] as [string, string]];
    return typeof value === 'object' && value !== null ? sentencesOf(value, `${path}.${key}`) : [];
  });
}

async function elementWords(): Promise<[string, string][]> {
  const parts = elementParts.split(' ').map(async part => {
    const tables = (await import(`../../src/element/strings/en/${part}.ts`)) as object;
    return sentencesOf(Object.values(tables)[0] as object, part);
  });
  return (await Promise.all(parts)).flat();
}

async function pageWords(locale: string): Promise<[string, string][]> {
  const tables = areas.map(async area => sentencesOf(await stringsFor(area, locale), area));
  return (await Promise.all(tables)).flat();
}

const english = new Map([
  ...(await elementWords()),
  ...(await pageWords('en')),
  ...sentencesOf(declineMessages, 'decline'),
  ...sentencesOf(englishProblems, 'card-frame'),
]);

/** The wording of each situation, and every sentence that says it. */
const wording: readonly [said: string, ...places: string[]][] = [
  ['We’ve received {received}', 'bank.scanRest', 'bank.copyRest', 'situation.short', 'crypto.rest'],
  ['We’ve received {amount}', 'outcome.kept'],
  ['e’ll let the shop know', 'bank.leave', 'crypto.leave', 'situation.leave', 'outcome.unpaid.expired.transfer'],
  ['the details fill in. Transfers arrive {arrives}', 'bank.scan'],
  ['the details fill in', 'crypto.send', 'crypto.sendByApp'],
  ['within a minute', 'bank.arrives0'],
  ['business day', 'bank.arrives1', 'bank.arrives'],
  ['Reference (required)', 'bank.labels.reference'],
  ['required)', 'crypto.memo.label'],
  ['Your bank needs to confirm it’s you', 'card.challenge'],
  ['Too many attempts', 'outcome.unpaid.declined.text'],
  ['This payment has expired', 'outcome.unpaid.expired.title'],
  ['This link has expired', 'pay-link.closed.expired', 'link.expiredTitle'],
  ['Someone else has already paid this', 'outcome.unpaid.linkUsed.title'],
  [
    'Remaining balance',
    ...['bank.scanRest', 'bank.copyRest', 'situation.short', 'outcome.stillDue'],
    ...['invoice.left', 'invoice.payAll', 'document.amountRemaining'],
    ...['mail.partlyPaid', 'mail.partlyCredited', 'mail.paidAndCredited', 'mail.receiptRest', 'mail.creditNoteRest'],
  ],
  ['Pay the rest', 'outcome.payRest', 'invoice.rest', 'situation.short'],
  ['{amount} due {date}', 'invoice.partDue', 'document.partDue'],
  ['Items', 'invoice.lines'],
  ['Up to {max}', 'pay-link.atMost', 'link.atMost', 'invoice.otherHint'],
  ['up to {max}', 'link.tooMuch', 'invoice.otherTooMuch'],
  ['You sent {sent}; we asked for {asked}', 'situation.wrongAsset'],
  ['Copy the amount and address instead', 'crypto.notOpened'],
  [
    'Nothing was taken. ',
    ...['decline.card_declined', 'decline.insufficient_funds', 'decline.expired_card', 'decline.incorrect_cvc'],
    ...['decline.processing_error', 'decline.authentication_failed', 'card-frame.offline', 'card-frame.unavailable'],
  ],
];

/** Wordings that were replaced, and spellings of other regions. */
const replaced =
  /hears of it|bank days?\b|wants to hear|too often|another payer|left to pay|what is left|\bat most\b|or less\b|something else than|, important|every field|everything is filled|copy amount|time for this payment|is over\b|cancelled|instalment|authorise|charged/i;

describe('the words', () => {
  it.each(wording)('“%s” is said everywhere alike', (said, ...places) => {
    for (const place of places) expect(english.get(place), place).toContain(said);
  });

  it('are the same in all parts', () => {
    expect([...english].filter(([, sentence]) => replaced.test(sentence))).toEqual([]);
  });

  it.each([
    ['en', 'Installment {number}', 'Canceled'],
    ['en-US', 'Installment {number}', 'Canceled'],
    ['en-GB', 'Instalment {number}', 'Cancelled'],
    ['en-AU', 'Instalment {number}', 'Cancelled'],
  ])('are spelled as %s does', async (locale, installment, canceled) => {
    const words = new Map(await pageWords(locale));
    expect([words.get('document.installment'), words.get('invoice.status.void')]).toEqual([installment, canceled]);
    const other = locale.endsWith('GB') || locale.endsWith('AU') ? /installment|cancele/i : /instalment|cancelle/i;
    expect([...words].filter(([, sentence]) => other.test(sentence))).toEqual([]);
  });
});
