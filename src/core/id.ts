/** The id prefix of each kind of object. 22 random base62 characters (131 bits) follow the prefix. */
export const idPrefixes = {
  account: 'acct',
  payment: 'pay',
  refund: 're',
  paymentLink: 'plink',
  invoice: 'inv',
  invoiceTransaction: 'itx',
  creditNote: 'cn',
  quote: 'quote',
  customer: 'cus',
  kyc: 'kyc',
  ramp: 'ramp',
  kycFile: 'kfile',
  event: 'evt',
  webhookEndpoint: 'we',
  delivery: 'del',
  apiKey: 'key',
  domain: 'dom',
  request: 'req',
  transfer: 'tr',
  attempt: 'att',
  dispute: 'dp',
  walletTransaction: 'wtx',
  ledgerTransaction: 'txn',
  outboundTransfer: 'ot',
  envelope: 'env',
  mail: 'mail',
  reminder: 'rem',
  recurringInvoice: 'rinv',
  recipient: 'rec',
  recipientDestination: 'dest',
  payout: 'po',
  payoutBatch: 'pbat',
  payoutReturn: 'pret',
  topUp: 'tu',
  withdrawal: 'wd',
  conversion: 'conv',
  settlement: 'set',
  settlementDestination: 'sdest',
  settlementConversion: 'sconv',
  approval: 'appr',
  bankFile: 'bf',
  bankAnswer: 'ba',
  person: 'person',
  session: 'ses',
  passkey: 'passkey',
  invitation: 'invite',
  auditEntry: 'audit',
  resetRequest: 'reset',
} as const;

/** A kind of object that has ids. */
export type IdKind = keyof typeof idPrefixes;

/** Fills the array with cryptographically strong random bytes, in browsers and in Node. */
type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bodyLength = 22;
/** Bytes from this value on are discarded. They would make `0` to `7` more frequent, because 256 mod 62 is 8. */
const biasedFrom = 248;

const pool = new Uint8Array(4096);
let used = pool.length;
const fillRandom: FillRandom = bytes => globalThis.crypto.getRandomValues(bytes);

function nextByte(): number {
  if (used === pool.length) {
    fillRandom(pool);
    used = 0;
  }
  return pool[used++] ?? 0;
}

/** `length` random base62 characters from the platform's cryptographic generator. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextByte();
    if (byte < biasedFrom) text += alphabet[byte % 62];
  }
  return text;
}

/** A new id of the kind, for example `pay_3kTMd0PpC1hJ6nLq2uXs9B`. */
export function newId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${randomText(bodyLength)}`;
}

/** The 22 characters after the prefix. */
export function idBody(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

/** The id of the kind with this body (from `idBody`). */
export function idOf(kind: IdKind, body: string): string {
  return `${idPrefixes[kind]}_${body}`;
}
