import { type DestinationStream, type Logger, pino } from 'pino';
import { isLuhnValid } from '../../core/card/card-check.ts';

/** The least severe level that is written. `silent`: nothing is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The service's log: one JSON object a line. */
export type Log = Logger;

const suspect = /[spr]k_|whsec_|_secret_|@|bearer|\d{4}[ -]?\d{4}|S[A-Z2-7]{55}/i;

/**
 * Redacts API keys, client secrets, webhook secrets, bearer tokens, Stellar seeds and card numbers. E-mail addresses
 * keep their first letter and domain. A line without a suspicious pattern costs only one search.
 */
export function redact(line: string): string {
  if (!suspect.test(line)) return line;
  return line
    .replace(/\b([spr]k_(?:test|live)_)[0-9A-Za-z]+/g, '$1[redacted]')
    .replace(/\bwhsec_[0-9A-Za-z+/=_-]+/g, 'whsec_[redacted]')
    .replace(/(pay_[0-9A-Za-z]+_secret_)[0-9A-Za-z]+/g, '$1[redacted]')
    .replace(/\b(bearer\s+)[^\s"',]+/gi, '$1[redacted]')
    .replace(/\bS[A-Z2-7]{55}\b/g, '[redacted]')
    .replace(/(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g, digits =>
      isLuhnValid(digits.replace(/\D/g, '')) ? '[redacted]' : digits,
    )
    .replace(/([\p{L}\p{N}])[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]*@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu, '$1***@$2');
}

/** Creates the log. `write` gets each line after redaction. */
export function createLog(config: { readonly logLevel: LogLevel }, write: (line: string) => void): Log {
  const stream: DestinationStream = { write: line => write(redact(line)) };
  const serializers = { err: (error: Error) => withoutRows(pino.stdSerializers.err(error)) };
  return pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, stream);
}

/**
 * Fields of a database error that quote a row and thus personal data (PostgreSQL, Error and Notice Message Fields D and
 * W).
 */
const rowFields = ['detail', 'where'];

/** A logged error without the rows that the error or its causes quote. */
function withoutRows(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRows);
  if (typeof value !== 'object' || value === null || !('stack' in value)) return value;
  const kept = Object.entries(value).filter(([name]) => !rowFields.includes(name));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutRows(field)]));
}

/** Writes the lines of one turn of the event loop together, because each write blocks. Writes the rest at exit. */
export function createLineWriter(stream: { write(text: string): unknown }): (line: string) => void {
  let waiting = '';
  const flush = () => {
    if (waiting === '') return;
    stream.write(waiting);
    waiting = '';
  };
  process.on('exit', flush);
  return line => {
    if (waiting === '') setImmediate(flush);
    waiting += line;
  };
}

/** A log line for people: the time, the message and its fields. */
export function readable(line: string): string {
  const { level, time, msg, err, ...details } = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(details).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  const mark = Number(level) >= 50 ? ' error' : Number(level) >= 40 ? ' warning' : '';
  return `${String(time).slice(11, 19)}${mark} ${String(msg)}${facts.length === 0 ? '' : `  ${facts.join(' ')}`}${stack}\n`;
}
