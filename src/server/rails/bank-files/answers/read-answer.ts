import { readXml, type XmlElement } from '../../../../core/xml.ts';
import { type FileRailId, fileRails, type ReadAnswer } from '../bank-file.ts';
import type { AnswerDocument } from './answer-content.ts';
import { isCamt054, readCamt054 } from './camt054.ts';
import { readNachaReturns } from './nacha-return.ts';
import { isPain002, readPain002 } from './pain002.ts';

/** What an answer says, and the rails whose payments it may report. */
export interface RecognizedAnswer extends ReadAnswer {
  readonly rails: readonly FileRailId[];
}

/** Messages that banks send, and that are not read, by the name of their element in `Document`. */
const unread: Readonly<Record<string, string>> = {
  BkToCstmrStmt: 'A statement (camt.053)',
  BkToCstmrAcctRpt: 'An account report (camt.052)',
};

/** Reads an answer. Recognizes the format by the content. Never throws: what cannot be read is a problem. */
export function readAnswer(document: AnswerDocument): RecognizedAnswer {
  if (document.problem !== null) return refused('unreadable', `The file cannot be read: ${document.problem}.`);
  const text = document.text.replace(/^\ufeff/, '').trimStart();
  try {
    if (text.startsWith('<')) return readMessage(readXml(text));
    if (!/^1\d\d/.test(text)) return refused('unsupported', 'The file is neither XML nor NACHA. It is not read.');
    return { rails: ['ach'], ...readNachaReturns(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refused('unreadable', `The file cannot be read: ${message.slice(0, 300)}.`);
  }
}

function readMessage(document: XmlElement): RecognizedAnswer {
  if (isPain002(document)) return { rails: fileRails, ...readPain002(document) };
  if (isCamt054(document)) return { rails: fileRails, ...readCamt054(document) };
  const name = document.children[0]?.name ?? document.name;
  const kind = (Object.hasOwn(unread, name) && unread[name]) || `An XML file of the kind ${name.slice(0, 60)}`;
  return refused('unsupported', `${kind} is not read yet.`);
}

function refused(reason: 'unreadable' | 'unsupported', message: string): RecognizedAnswer {
  return { rails: [], reports: [], problems: [{ reason, message }] };
}

/** References in the text that look like ours: of files, and of payments. For answers that are not understood. */
export function referencesIn(text: string): {
  readonly files: readonly string[];
  readonly payments: readonly string[];
} {
  const found = new Set(text.match(/\b[a-z]{2,5}-[0-9A-Za-z]{22}\b/g)?.slice(0, mostReferences) ?? []);
  const files = [...found].filter(reference => reference.startsWith('bf-'));
  return { files, payments: [...found].filter(reference => !reference.startsWith('bf-')) };
}

const mostReferences = 20_000;
