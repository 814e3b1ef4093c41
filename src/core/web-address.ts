/**
 * The URL if a browser may open it, otherwise null. The URL must be absolute http or https, without user or password.
 * Refuses control characters, blanks and backslashes, because parsers disagree about them (`https:evil`, `//evil`, a
 * TAB inside the scheme).
 */
export function parseWebAddress(text: string): URL | null {
  if (!/^https?:\/\/[^\s\\/@?#]+([/?#][^\s\\]*)?$/i.test(text) || hasControlCharacter(text)) return null;
  try {
    const url = new URL(text);
    return url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
  } catch {
    return null;
  }
}

/**
 * Scheme, host and port of an origin text (`https://shop.example:8443`), or null. A host consists of letters, digits,
 * hyphens and dots, as in a Content-Security-Policy (CSP 3 §2.3.1), or is an IPv6 address. URL parsers also accept `*`
 * and `;`, which this function refuses.
 */
export function parseOrigin(text: string): string | null {
  const url = parseWebAddress(text);
  if (url === null || (text !== url.origin && text !== `${url.origin}/`)) return null;
  return /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/.test(url.hostname) ? url.origin : null;
}

/**
 * The host name in lower case and ASCII (IDNA), without a final dot, or null. It has at least two labels of letters,
 * digits and hyphens. IP addresses, ports, paths and wildcards are no host names.
 */
export function parseHostName(text: string): string | null {
  const name = text.trim().replace(/\.$/, '');
  if (name === '' || /[\s/\\?#@:%*[\]]/.test(name)) return null;
  const ascii = URL.parse(`https://${name}`)?.hostname ?? '';
  const isName =
    ascii.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(ascii);
  return isName ? ascii : null;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
