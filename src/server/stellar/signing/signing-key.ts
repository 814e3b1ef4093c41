import { decodeStrkey, encodeStrkey } from '../../../core/stellar/strkey.ts';
import { ExchangeError, type HttpAnswer, type HttpExchange } from '../http-exchange.ts';
import { parseRecord } from '../json-record.ts';
import { StellarUnavailable } from '../network.ts';
import { privateKeyOf, publicKeyBytes, signEd25519 } from './ed25519.ts';

/** A key that signs for an account. Whoever holds one can sign with it and cannot read it. */
export interface SigningKey {
  readonly address: string;
  /** The signature (base64) over the hash (hex) of the envelope. */
  sign(request: { readonly hash: string; readonly envelopeXdr: string }): Promise<string>;
}

/** A key in this process, from its 32-byte seed, which is overwritten. */
export function localKey(seed: Buffer): SigningKey {
  const key = privateKeyOf(seed);
  seed.fill(0);
  return {
    address: encodeStrkey('G', publicKeyBytes(key)),
    sign: async ({ hash }) => signEd25519(key, Buffer.from(hash, 'hex')).toString('base64'),
  };
}

/** The 32 bytes of a secret seed (S…), or null when the text is none. */
export function seedOf(secret: string): Buffer | null {
  const seed = decodeStrkey('S', secret);
  return seed === null ? null : Buffer.from(seed);
}

/** Where a key is that never comes to this server. */
export interface RemoteKeyOptions {
  readonly url: string;
  readonly address: string;
  /** Goes into the header `Authorization`; null: none. */
  readonly authorization: string | null;
  readonly http: HttpExchange;
}

/**
 * A key in the operator’s key management: each request is a POST of `{address, hash, envelope}` (hash in hex, envelope in
 * base64), to be answered by `{signature}` (64 bytes, base64). The answer is checked before it is used. Throws
 * StellarUnavailable when there is none: the transaction waits.
 */
export function remoteKey({ url, address, authorization, http }: RemoteKeyOptions): SigningKey {
  return {
    address,
    sign: async ({ hash, envelopeXdr }) => {
      const answer = await ask(http, {
        url: new URL(url),
        headers: authorization === null ? {} : { authorization },
        body: { type: 'application/json', text: JSON.stringify({ address, hash, envelope: envelopeXdr }) },
      });
      const signature = answer.status === 200 ? parseRecord(answer.text, 'signature') : null;
      if (signature !== null) return signature.text('signature');
      throw new StellarUnavailable(`the signing service at PAY_TREASURY_KMS_URL answers ${answer.status}`);
    },
  };
}

async function ask(http: HttpExchange, request: Parameters<HttpExchange['send']>[0]): Promise<HttpAnswer> {
  try {
    return await http.send(request);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const message = `the signing service at PAY_TREASURY_KMS_URL does not answer: ${error.message}`;
    throw new StellarUnavailable(message, { cause: error });
  }
}
