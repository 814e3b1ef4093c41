import { PayError } from '../../../core/error.ts';
import { DrawingError } from '../../../core/invoice/drawing-error.ts';
import type { Log } from '../jobs/sweeper.ts';
import type { ClaimedMail, MailAttachment } from './mail.store.ts';
import type { DrawnDocument } from './mail-message.ts';
import type { Outcome } from './mail-outcome.ts';

/**
 * Draws a mail's document with the current data. `outdated`: the mail's reason no longer exists (the invoice is paid),
 * so the mail is not sent. `undecided`: it is not known yet whether the reason still exists, so the mail waits. Throws
 * DrawingError if the document can never be drawn; the mail is then sent without it. Throws PayError `unavailable` if
 * the document cannot be drawn now; the mail then waits.
 */
export interface MailDocuments {
  draw(
    mail: Pick<ClaimedMail, 'merchant_id' | 'livemode' | 'clock' | 'resource_type'>,
    attachment: MailAttachment,
    signal?: AbortSignal,
  ): Promise<DrawnDocument | 'outdated' | 'undecided'>;
}

/** Draws the documents of mails. `isPaused` while no document can be drawn. */
export type MailDrawing = ReturnType<typeof createMailDrawing>;

interface MailDrawingDeps {
  readonly documents: MailDocuments;
  readonly log: Log;
}

const defaultPauseSeconds = 5;
/** Milliseconds for which a remark stays after its pause. The next attempt may take time or run in another process. */
const remarkMs = 30_000;
const undecidedError = 'it is not known yet whether the mail is still needed';

/** Draws mails' documents. While drawing is impossible, mails with documents are not claimed, but wait. */
export function createMailDrawing({ documents, log }: MailDrawingDeps) {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let remark = '';
  const isPaused = () => performance.now() < quietUntil;

  function pause({ message: error, retryAfterSeconds }: PayError): Outcome {
    const waitSeconds = retryAfterSeconds ?? defaultPauseSeconds;
    if (!isPaused()) log.warn({ error, waitSeconds }, 'documents cannot be drawn now; mails with documents wait');
    quietUntil = performance.now() + waitSeconds * 1000;
    remark = `mail: documents cannot be drawn now, mails with documents wait (${error})`;
    return { result: 'unready', error, waitSeconds };
  }

  return {
    /** Whether nothing can be drawn now. Only mails without documents can then be sent. */
    isPaused,
    /** Returns the mail's documents, or the outcome if the attempt ends here. */
    draw: async (mail: ClaimedMail, signal: AbortSignal): Promise<DrawnDocument[] | Outcome> => {
      try {
        const found = await drawAll({ documents, log }, mail, signal);
        if (found === 'outdated') return { result: 'canceled' };
        if (found === 'undecided') return { result: 'unready', error: undecidedError, waitSeconds: 5 };
        if (found.length > 0) quietUntil = Number.NEGATIVE_INFINITY;
        return found;
      } catch (error) {
        if (error instanceof PayError && error.code === 'unavailable') return pause(error);
        throw error;
      }
    },
    remarks: () => (performance.now() < quietUntil + remarkMs ? [remark] : []),
  };
}

/** Draws all documents. Omits a document that can never be drawn, because the mail still links to it. */
async function drawAll(
  { documents, log }: MailDrawingDeps,
  mail: ClaimedMail,
  signal: AbortSignal,
): Promise<DrawnDocument[] | 'outdated' | 'undecided'> {
  const found: DrawnDocument[] = [];
  for (const attachment of mail.attachments) {
    try {
      const drawn = await documents.draw(mail, attachment, signal);
      if (typeof drawn === 'string') return drawn;
      found.push(drawn);
    } catch (error) {
      if (!(error instanceof DrawingError)) throw error;
      const facts = { err: error, mail: mail.id, attachment };
      log.error(facts, 'a document could not be drawn; its mail is sent without it');
    }
  }
  return found;
}
