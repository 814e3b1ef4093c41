import { decodeStrkey } from '../../src/core/stellar/strkey.ts';
import type { Sep7Link } from './sep7-link.ts';

/**
 * Who a link comes from. `unsigned`: it does not say; `verified`: the domain signed it; `unknown`: the domain could not
 * be asked; `forged`: it says so and it is not so.
 */
export type LinkOrigin =
  | { readonly state: 'unsigned' | 'unknown' | 'forged' }
  | { readonly state: 'verified'; readonly domain: string };

const prefixText = 'stellar.sep.7 - URI Scheme';

/**
 * Checks a link's signature against the key that its domain publishes (SEP-7 “signature”, SEP-1
 * `URI_REQUEST_SIGNING_KEY`). A domain that is only claimed is shown to nobody.
 */
export async function checkOrigin(link: Sep7Link): Promise<LinkOrigin> {
  const { originDomain: domain, signature, signedText } = link;
  if (domain === null && signature === null) return { state: 'unsigned' };
  if (domain === null || signature === null || !isDomain(domain)) return { state: 'forged' };
  const toml = await readToml(domain);
  if (toml === null) return { state: 'unknown' };
  const key = signingKey(toml);
  const isReal = key !== null && (await isSignedBy(key, signature, signedText));
  return isReal ? { state: 'verified', domain } : { state: 'forged' };
}

/** A fully qualified name, as SEP-7 wants it; and, for development, this machine's own name with its port. */
function isDomain(text: string): boolean {
  return /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i.test(text) || isLoopback(text);
}

function isLoopback(text: string): boolean {
  return /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/.test(text);
}

async function readToml(domain: string): Promise<string | null> {
  const scheme = isLoopback(domain) ? 'http' : 'https';
  try {
    const answer = await fetch(`${scheme}://${domain}/.well-known/stellar.toml`, {
      credentials: 'omit',
      signal: AbortSignal.timeout(8_000),
    });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** Keys of the file itself stand before its first table. */
function signingKey(toml: string): Uint8Array<ArrayBuffer> | null {
  const [top = ''] = toml.split(/^\s*\[/m);
  const text = /^\s*URI_REQUEST_SIGNING_KEY\s*=\s*["'](G[A-Z2-7]{55})["']/m.exec(top)?.[1];
  const bytes = text === undefined ? null : decodeStrkey('G', text);
  return bytes === null ? null : Uint8Array.from(bytes);
}

/** What is signed: 35 zero bytes, a four, the scheme's name, and the link up to its signature. */
async function isSignedBy(key: Uint8Array<ArrayBuffer>, signature: string, signedText: string): Promise<boolean> {
  const text = new TextEncoder().encode(prefixText + signedText);
  const payload = new Uint8Array(36 + text.length);
  payload[35] = 4;
  payload.set(text, 36);
  try {
    const bytes = Uint8Array.from(atob(signature), byte => byte.charCodeAt(0));
    const publicKey = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, publicKey, bytes, payload);
  } catch {
    return false;
  }
}
