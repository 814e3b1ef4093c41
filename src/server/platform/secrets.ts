import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { type IdKind, idBody, idOf } from '../../core/id.ts';

/**
 * Secrets that can be derived (client secrets, page tokens) are derived from one root and never stored. Others (webhook
 * secrets, remembered answers) are sealed with it.
 */
export interface Secrets {
  /** `pay_…_secret_…`: lets a payer read and pay this one payment. */
  clientSecret(merchantId: string, paymentId: string): string;
  /** The payment a client secret stands for, or null when it is not genuine. */
  openClientSecret(text: string): { merchantId: string; paymentId: string } | null;
  /** A token of 66 characters that names a payment for one purpose; one purpose's token opens nothing of another. */
  paymentToken(purpose: TokenPurpose, merchantId: string, paymentId: string): string;
  /** The payment a token of the purpose stands for, or null when it is not genuine. */
  openPaymentToken(purpose: TokenPurpose, text: string): { merchantId: string; paymentId: string } | null;
  /** A token of 66 characters that lets a payer say where a refund is to go. */
  refundToken(merchantId: string, refundId: string): string;
  /** The refund a token stands for, or null when it is not genuine. */
  openRefundToken(text: string): { merchantId: string; refundId: string } | null;
  /** A token of 66 characters that lets an invoice's customer see and pay it. */
  invoiceToken(merchantId: string, invoiceId: string): string;
  /** The invoice a token stands for, or null when it is not genuine. Compared in constant time. */
  openInvoiceToken(text: string): { merchantId: string; invoiceId: string } | null;
  /** The customer id of an e-mail address: the same address is the same customer of a merchant and mode. */
  customerId(merchantId: string, livemode: boolean, email: string): string;
  /** A keyed hash that recognises a visitor of an object, and reveals nothing else. */
  visitorHash(objectId: string, visitor: string): Buffer;
  /** The test key that the server makes for its first merchant: every replica and every later start can show it again. */
  testKey(merchantId: string, type: 'secret' | 'publishable'): string;
  /** The 32-byte seed of a key of the service’s own on Stellar. It goes into a key at once, and nowhere else. */
  stellarSeed(purpose: StellarKeyPurpose): Buffer;
  /** Encrypts text for the database (AES-256-GCM). */
  seal(text: string): Buffer;
  /** Decrypts what `seal` made. Throws when it was altered. */
  open(sealed: Buffer): string;
}

/** `checkout`: the hosted page's URL; `resume`: where a rail's own page sends the payer back; `frame:` and the second it ends: the card fields. */
export type TokenPurpose = 'checkout' | 'resume' | `frame:${string}`;

/** `treasury`: the account that holds money on test networks; `channel n`: the accounts that lend sequence numbers; `uri request`: what signs payment links (SEP-7). */
export type StellarKeyPurpose = 'treasury' | `channel ${number}` | 'uri request';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const part = 22;

/** SHA-256 of an API key: random keys of 190 bits need no slow hash. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The secrets that follow from a 32-byte root. */
export function createSecrets(root: Buffer): Secrets {
  const sealKey = createSecretKey(derivedKey(root, 'seal'));
  const macKey = createSecretKey(derivedKey(root, 'mac'));
  const mac = (purpose: string, text: string) =>
    base62(createHmac('sha256', macKey).update(`${purpose}:${text}`).digest());
  const token = (purpose: string, merchantId: string, id: string) =>
    idBody(merchantId) + idBody(id) + mac(purpose, `${merchantId}:${id}`);
  const openAny = (purpose: string, kind: IdKind, text: string) => {
    if (!/^[0-9A-Za-z]{66}$/.test(text)) return null;
    const merchantId = idOf('account', text.slice(0, part));
    const id = idOf(kind, text.slice(part, 2 * part));
    return sameText(token(purpose, merchantId, id), text) ? { merchantId, id } : null;
  };
  const openToken = (purpose: string, text: string) => {
    const opened = openAny(purpose, 'payment', text);
    return opened && { merchantId: opened.merchantId, paymentId: opened.id };
  };
  return {
    clientSecret: (merchantId, paymentId) => {
      const text = token('client', merchantId, paymentId);
      return `${paymentId}_secret_${text.slice(0, part)}${text.slice(2 * part)}`;
    },
    openClientSecret: text => {
      const match = /^pay_([0-9A-Za-z]{22})_secret_([0-9A-Za-z]{22})([0-9A-Za-z]{22})$/.exec(text);
      return match ? openToken('client', `${match[2]}${match[1]}${match[3]}`) : null;
    },
    paymentToken: token,
    openPaymentToken: openToken,
    refundToken: (merchantId, refundId) => token('refund', merchantId, refundId),
    openRefundToken: text => {
      const opened = openAny('refund', 'refund', text);
      return opened && { merchantId: opened.merchantId, refundId: opened.id };
    },
    invoiceToken: (merchantId, invoiceId) => token('invoice', merchantId, invoiceId),
    openInvoiceToken: text => {
      const opened = openAny('invoice', 'invoice', text);
      return opened && { merchantId: opened.merchantId, invoiceId: opened.id };
    },
    customerId: (merchantId, livemode, email) =>
      idOf('customer', mac('customer', `${merchantId}:${livemode ? 'live' : 'test'}:${lowerAscii(email)}`)),
    visitorHash: (objectId, visitor) =>
      createHmac('sha256', macKey).update(`visitor:${objectId}:${visitor}`).digest().subarray(0, 16),
    testKey: (merchantId, type) =>
      `${type === 'secret' ? 'sk' : 'pk'}_test_${mac(`test key 1 ${type}`, merchantId)}${mac(`test key 2 ${type}`, merchantId)}`,
    stellarSeed: purpose => derivedKey(root, `stellar ${purpose}`),
    seal: text => seal(sealKey, text),
    open: sealed => openSealed(sealKey, sealed),
  };
}

/** Lowers ASCII letters only: some others (the Kelvin sign) would become another letter, and so another mailbox. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

function derivedKey(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `pay-checkout:${purpose}`, 32));
}

/** The first 22 bytes as base62: each character keeps 5.95 of its byte's 8 bits, 131 bits in all. */
function base62(digest: Buffer): string {
  let text = '';
  for (let i = 0; i < part; i++) text += alphabet[(digest[i] ?? 0) % 62];
  return text;
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function seal(key: KeyObject, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function openSealed(key: KeyObject, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}
