import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'csv-parse/sync';
import { errorCatalogue } from '../../src/core/error.ts';
import type { TestAnswer } from '../support/app.ts';
import type { OpenApiDocument } from './openapi-calls.ts';

/** What is wrong with an answer, in words; null: nothing. */
export type Complaint = string | null;

/** Judges answers with an error. `params`: the places that the error may name, without indexes. */
export type ErrorJudge = (answer: TestAnswer, params?: ReadonlySet<string>) => Complaint;

/** Errors have the form of the document, a code of the catalogue, and say nothing of the inside. */
export function createErrorJudge(document: OpenApiDocument): ErrorJudge {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'api');
  const isError = ajv.getSchema('api#/components/schemas/ErrorBody');
  return ({ status, body, headers, text }, params) => {
    if (isError?.(body) !== true) return `its error has another form: ${ajv.errorsText(isError?.errors)}`;
    const { type, code, param, message, request_id: requestId, doc_url: url, errors } = body.error;
    const known = (errorCatalogue as Record<string, { status: number; type: string }>)[code];
    if (known === undefined) return `the code ${code} is in no catalogue`;
    if (status >= 500 && code !== 'unavailable' && code !== 'rate_unavailable') return `${status} ${code}`;
    if (status >= 429 && headers['retry-after'] === undefined && status !== 503) return 'Retry-After is missing';
    if (requestId !== headers['request-id']) return 'the request id differs from the header';
    if (!url.endsWith(`/docs/errors/${code}`)) return `doc_url is ${url}`;
    if (status === 400 && type !== 'invalid_request_error') return `400 has the type ${type}`;
    if (/\n\s+at |node_modules|violates|relation "|syntax error at/.test(message)) return text;
    if (params === undefined || (status !== 400 && status !== 404) || bodyCodes.has(code)) return null;
    if (param === null) return `${code} names no param`;
    const unknown = [param, ...errors.map((one: { param: string }) => one.param)].find(name => !isIn(params, name));
    return unknown === undefined ? null : `${code} names the param ${unknown}`;
  };
}

/** Errors of the whole body. */
const bodyCodes: ReadonlySet<string> = new Set(['invalid_json', 'malformed_request']);

/** Whether the place is one of the operation's or below one, because objects may have unknown keys. */
function isIn(params: ReadonlySet<string>, param: string): boolean {
  const names = param.replace(/\[\d+\]/g, '').split('.');
  return names.some((_, index) => params.has(names.slice(0, names.length - index).join('.')));
}

/** The value at a place in wire notation; undefined where an answer has no such place. */
export function valueAt(body: unknown, param: string): unknown {
  const keys = param.replaceAll('[', '.').replaceAll(']', '').split('.');
  return keys.reduce((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], body);
}

/**
 * Line breaks and control characters in names count as blanks, and texts are trimmed. Amounts of assets are answered
 * with all decimals, so zeros at the end of a decimal number do not count.
 */
const normalised = (text: string) => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return /^-?\d+\.\d+$/.test(line) ? line.replace(/\.?0+$/, '') : line;
};

/** The answer to a value that was accepted has the value, if it shows the place at all. */
export function echoComplaint(param: string, given: unknown, answered: unknown): Complaint {
  if (answered === undefined || answered === null) return null;
  if (typeof given !== 'string' && typeof given !== 'number') return null;
  const isSame =
    typeof given === 'number'
      ? given === Number(answered)
      : [given, given.toUpperCase(), given.toLowerCase(), ...(param.endsWith('number_prefix') ? [`${given}-`] : [])]
          .map(normalised)
          .includes(normalised(String(answered)));
  return isSame ? null : `accepted ${shortened(given)}, answered ${shortened(answered)}`;
}

const shortened = (value: unknown) => JSON.stringify(value)?.slice(0, 120);

/** Markup of a hostile text is escaped in a page or mail. */
export function pageComplaint(html: string): Complaint {
  const found =
    /<script>hostile|<img src=x|<[^>]* (onmouseover|onload)=.?hostile|href="?(javascript|data|file):[^">]*/i.exec(html);
  return found === null ? null : `the page has ${html.slice(Math.max(0, found.index - 40), found.index + 80)}`;
}

/** No cell of a CSV file is a formula. A negative number is none. */
export function csvComplaint(file: string): Complaint {
  const rows: string[][] = parse(file, { bom: true, relax_column_count: true });
  const formula = rows
    .flat()
    .find(cell => /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) && !/^-\d+(\.\d+)?$/.test(cell));
  return formula === undefined ? null : `the file has the formula ${formula}`;
}
