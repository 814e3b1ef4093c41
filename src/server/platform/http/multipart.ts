import { isUtf8 } from 'node:buffer';
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

/** A field of a form. */
interface Part {
  readonly name: string;
  /** The name of a file, as the client sent it. Null for a text. */
  readonly fileName: string | null;
  readonly content: Buffer;
}

/**
 * Reads bodies of the type multipart/form-data (RFC 7578), of at most `most` bytes. The texts become the body, and
 * `formFiles` has the files. Throws `malformed_request`. Node's parser of forms takes 20 ms of CPU time for a megabyte,
 * and no other request runs meanwhile. This one copies nothing.
 */
export function parseForms(app: HttpApp, most: number): void {
  app.decorateRequest('formFiles', null);
  const options = { parseAs: 'buffer', bodyLimit: most } as const;
  app.addContentTypeParser('multipart/form-data', options, async (request: FastifyRequest, bytes: Buffer) => {
    const { texts, files } = readForm(bytes, request.headers['content-type'] ?? '');
    request.formFiles = files;
    return texts;
  });
}

function readForm(bytes: Buffer, contentType: string) {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^";\s]{1,70}))/i.exec(contentType);
  if (boundary === null) throw malformed('The Content-Type of the form names no boundary.');
  const texts: Record<string, string> = {};
  const files = new Map<string, Buffer>();
  for (const { name, fileName, content } of readParts(bytes, boundary[1] ?? boundary[2] ?? '')) {
    if (Object.hasOwn(texts, name) || files.has(name)) {
      throw malformed(`The form has the field ${name.slice(0, 60)} twice.`);
    }
    if (fileName === null) texts[name] = textOf(name, content);
    // A browser sends an input without a chosen file as an empty file without a name.
    else if (fileName !== '' || content.length > 0) files.set(name, content);
  }
  return { texts, files };
}

/** The parts between the delimiters (RFC 2046 §5.1.1). */
function* readParts(bytes: Buffer, boundary: string): Generator<Part> {
  const delimiter = `\r\n--${boundary}`;
  let at = bytes.indexOf(`--${boundary}`) + delimiter.length - 2;
  if (at < delimiter.length - 2) throw malformed('The form does not contain its boundary.');
  for (let count = 0; bytes.toString('latin1', at, at + 2) !== '--'; count++) {
    if (count === mostParts) throw malformed(`A form has at most ${mostParts} fields.`);
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const end = headEnd === -1 ? -1 : bytes.indexOf(delimiter, headEnd + 2);
    if (end === -1 || bytes.toString('latin1', at, at + 2) !== '\r\n') throw malformed('The form is not complete.');
    yield partOf(bytes.toString('utf8', at, headEnd), bytes.subarray(headEnd + 4, end));
    at = end + delimiter.length;
  }
}

function partOf(head: string, content: Buffer): Part {
  const disposition = /\r\ncontent-disposition:\s*form-data\s*(;[^\r\n]*)/i.exec(head)?.[1] ?? '';
  const name = /;\s*name=(?:"([^"]{1,200})"|([^";\s]{1,200}))/i.exec(disposition);
  if (name === null) throw malformed('A field of the form has no name.');
  const file = /;\s*filename\*?=(?:"([^"]*)|([^";\s]*))/i.exec(disposition);
  return { name: name[1] ?? name[2] ?? '', fileName: file && (file[1] ?? file[2] ?? ''), content };
}

/** The text. PostgreSQL cannot store NUL. */
function textOf(name: string, content: Buffer): string {
  if (isUtf8(content) && !content.includes(0) && name !== '__proto__') return content.toString('utf8');
  throw malformed(`The field ${name.slice(0, 60)} of the form is not plain UTF-8.`);
}

function malformed(message: string): PayError {
  return new PayError('malformed_request', message);
}
