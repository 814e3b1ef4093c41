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
import { type IdKind, idBody, idOf, idPrefixes } from '../../core/id.ts';

/**
 * Purposes of a payment's tokens. `checkout`: the hosted page. `resume`: the return from a rail's own page. `frame:`
 * and the expiry second in base 36: the card fields.
 */
export type TokenPurpose = 'checkout' | 'resume' | `frame:${string}`;

/**
 * Keys of Stellar accounts. `channel n`: an account whose sequence numbers transactions use. `settlement`: the first
 * merchant's account on the sandbox network. `uri request`: the key that signs payment links (SEP-7).
 */
export type StellarKeyPurpose = 'treasury' | `channel ${number}` | 'settlement' | 'uri request';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const part = 22;

/** SHA-256 of an API key. Keys have 190 random bits, so they need no slow hash. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * The functions that derive the service's secrets from the root secret. Tokens of objects have 66 characters. The
 * functions `open…` return null for a token that is not genuine.
 */
export type Secrets = ReturnType<typeof createSecrets>;

/**
 * Creates the functions from a 32-byte root secret. Secrets that can be derived (client secrets, page tokens) are never
 * stored. Other secrets (webhook secrets, stored answers) are stored encrypted.
 */
export function createSecrets(root: Buffer) {
  const sealKey = createSecretKey(derivedKey(root, 'seal'));
  const macKey = createSecretKey(derivedKey(root, 'mac'));
  const { mac, token, openAny } = createTokens(macKey);
  const openToken = (purpose: string, text: string) => {
    const opened = openAny(purpose, 'payment', text);
    return opened && { merchantId: opened.merchantId, paymentId: opened.id };
  };
  return {
    ...secretsOfPeople(macKey, mac),
    /** `pay_…_secret_…`. With it, a payer can read and pay this one payment. */
    clientSecret: (merchantId: string, paymentId: string) =>
      clientText(paymentId, token('client', merchantId, paymentId)),
    openClientSecret: (text: string) => openToken('client', clientToken('payment', text)),
    /** `ramp_…_secret_…`. With it, a customer can read and continue this one ramp. */
    rampSecret: (merchantId: string, rampId: string) => clientText(rampId, token('client ramp', merchantId, rampId)),
    openRampSecret: (text: string) => openAny('client ramp', 'ramp', clientToken('ramp', text)),
    /** The token of a ramp's page until its end, a second since 1970 in base 36. */
    rampToken: (end: string, merchantId: string, rampId: string) => token(`ramp page ${end}`, merchantId, rampId),
    openRampToken: (end: string, text: string) => openAny(`ramp page ${end}`, 'ramp', text),
    /** A token that identifies a payment for one purpose. It is invalid for other purposes. */
    paymentToken: (purpose: TokenPurpose, merchantId: string, paymentId: string) =>
      token(purpose, merchantId, paymentId),
    openPaymentToken: (purpose: TokenPurpose, text: string) => openToken(purpose, text),
    /** The token in the URL that gives access to one object, such as an invoice. Each kind of object has its own. */
    objectToken: (kind: IdKind, merchantId: string, id: string) => token(kind, merchantId, id),
    openObjectToken: (kind: IdKind, text: string) => openAny(kind, kind, text),
    /** The text in the TXT record that proves that the merchant controls the domain. */
    domainToken: (merchantId: string, name: string) => mac('domain', `${merchantId}:${name}`),
    /** A token for a callback URL, at which a rail's provider reports on one order or attempt for one purpose. */
    railToken: (purpose: string, merchantId: string, orderId: string) => token(`rail ${purpose}`, merchantId, orderId),
    openRailToken: (
      purpose: string,
      text: string,
      kind: 'outboundTransfer' | 'attempt' | 'kyc' = 'outboundTransfer',
    ) => {
      const opened = openAny(`rail ${purpose}`, kind, text);
      return opened && { merchantId: opened.merchantId, orderId: opened.id };
    },
    /** One id for each e-mail address of a merchant and mode. */
    customerId: (merchantId: string, livemode: boolean, email: string) =>
      idOf('customer', mac('customer', `${merchantId}:${livemode ? 'live' : 'test'}:${lowerAscii(email)}`)),
    /** A keyed hash of a visitor's text, different for each object. It recognizes the visitor and hides the text. */
    visitorHash: (objectId: string, visitor: string): Buffer =>
      createHmac('sha256', macKey).update(`visitor:${objectId}:${visitor}`).digest().subarray(0, 16),
    /** The test key of the first merchant. It is derived, so that every process can show it. */
    testKey: (merchantId: string, type: 'secret' | 'publishable') =>
      `${type === 'secret' ? 'sk' : 'pk'}_test_${mac(`test key 1 ${type}`, merchantId)}${mac(`test key 2 ${type}`, merchantId)}`,
    /** The 32-byte seed of one of the service's Stellar keys. */
    stellarSeed: (purpose: StellarKeyPurpose) => derivedKey(root, `stellar ${purpose}`),
    /** Encrypts text (AES-256-GCM). Decryption needs the same `context`, which the sealed text does not contain. */
    seal: (text: string, context = '') => sealBytes(sealKey, Buffer.from(text), context),
    /** Decrypts sealed text. Throws if the text was changed, or sealed with another context. */
    open: (sealed: Buffer, context = '') => openBytes(sealKey, sealed, context).toString('utf8'),
    /** The key of the files of identity checks in test mode, where the setting with keys is optional. */
    kycFileKey: () => derivedKey(root, 'kyc files'),
  };
}

/** A client secret: the object's id, then the rest of its token. */
function clientText(id: string, token: string): string {
  return `${id}_secret_${token.slice(0, part)}${token.slice(2 * part)}`;
}

/** The token of a client secret. Empty for other texts. */
function clientToken(kind: IdKind, text: string): string {
  const match = /^([a-z]+)_([0-9A-Za-z]{22})_secret_([0-9A-Za-z]{22})([0-9A-Za-z]{22})$/.exec(text);
  return match !== null && match[1] === idPrefixes[kind] ? `${match[3]}${match[2]}${match[4]}` : '';
}

/** Tokens and hashes for the people of the dashboard. */
function secretsOfPeople(macKey: KeyObject, mac: ReturnType<typeof createTokens>['mac']) {
  return {
    /** The token in the start link, which signs in as the first owner. Every process can show it. */
    startToken: (merchantId: string) => mac('start 1', merchantId) + mac('start 2', merchantId),
    /** A keyed hash of a recovery code. The database alone therefore does not reveal the code. */
    recoveryHash: (personId: string, code: string): Buffer =>
      createHmac('sha256', macKey).update(`recovery:${personId}:${code}`).digest(),
    /** A short-lived token for one purpose and one object. It contains its end, in seconds since 1970. */
    timedToken: (purpose: string, object: string, endsAt: number) => {
      const end = endsAt.toString(36);
      return `${end}-${mac(`timed ${purpose} 1`, `${object}:${end}`)}${mac(`timed ${purpose} 2`, `${object}:${end}`)}`;
    },
    /** The CSRF token of a dashboard session. Derived from the session's own token. */
    csrfToken: (session: string) => mac('csrf', session),
  };
}

/** Tokens contain the ids of a merchant and an object, and a MAC of both and the purpose. */
function createTokens(macKey: KeyObject) {
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
  return { mac, token, openAny };
}

/** Lowers only ASCII letters. Other letters (the Kelvin sign) could become ASCII letters and name another mailbox. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

function derivedKey(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `pay-checkout:${purpose}`, 32));
}

/** The first 22 bytes as base62. Each character keeps 5.95 of its byte's 8 bits, which makes 131 bits. */
function base62(digest: Buffer): string {
  let text = '';
  for (let i = 0; i < part; i++) text += alphabet[(digest[i] ?? 0) % 62];
  return text;
}

/** Whether the texts are equal. Compares in constant time. */
export function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** Encrypts bytes (AES-256-GCM). Decryption needs the same `context`, which the result does not contain. */
export function sealBytes(key: KeyObject, bytes: Buffer, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts the result of `sealBytes`. Throws if it was changed, or encrypted with another key or context. */
export function openBytes(key: KeyObject, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(sealed.subarray(12, 28)).setAAD(Buffer.from(context));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}
