import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import type { HttpApp } from './http-app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The files of a form, by the names of their fields. Null for other bodies. */
    formFiles: ReadonlyMap<string, Buffer> | null;
  }
}

/** Maximum number of fields in a form. */
const mostParts = 100;

/**
 * Reads bodies of the type multipart/form-data (RFC 7578), of at most `most` bytes. The texts become the body, and `formFiles` has the files.
 * Node parses the form; its names of files and types are ignored. Throws `malformed_request`.
 */
export function parseForms(app: HttpApp, most: number): void {
  app.decorateRequest('formFiles', null);
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: most },
    async (request: FastifyRequest, bytes: Buffer) => {
      const { texts, files } = await readForm(bytes, request.headers['content-type'] ?? '');
      request.formFiles = files;
      return texts;
    },
  );
}

async function readForm(bytes: Buffer, contentType: string) {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^";\s]{1,70}))/i.exec(contentType);
  if (boundary === null) throw new PayError('malformed_request', 'The Content-Type of the form names no boundary.');
  refuseManyParts(bytes, `--${boundary[1] ?? boundary[2]}`);
  const form = await parse(bytes, contentType);
  const texts: Record<string, string> = {};
  const files = new Map<string, Buffer>();
  for (const [name, value] of form) {
    if (Object.hasOwn(texts, name) || files.has(name)) {
      throw new PayError('malformed_request', `The form has the field ${name.slice(0, 60)} twice.`);
    }
    if (typeof value === 'string') texts[name] = plain(name, value);
    else files.set(name, Buffer.from(await value.arrayBuffer()));
  }
  return { texts, files };
}

/** Counts before parsing, because each part of a form costs memory. */
function refuseManyParts(bytes: Buffer, delimiter: string): void {
  let parts = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    if (++parts > mostParts) throw new PayError('malformed_request', `A form has at most ${mostParts} fields.`);
  }
}

async function parse(bytes: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw new PayError('malformed_request', 'The body is not a valid form (multipart/form-data).', { cause });
  }
}

/** The text. PostgreSQL cannot store NUL, and the parser writes U+FFFD for bytes that are not UTF-8. */
function plain(name: string, text: string): string {
  if (!/[\0\uFFFD]/.test(text) && name !== '__proto__') return text;
  throw new PayError('malformed_request', `The field ${name.slice(0, 60)} of the form is not plain UTF-8.`);
}
