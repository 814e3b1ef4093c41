import { PayError } from '../../../core/error.ts';
import { DrawingError } from '../../../core/invoice/drawing-error.ts';
import type { Log } from '../jobs/sweeper.ts';
import type { ClaimedMail, MailAttachment } from './mail.store.ts';
import type { DrawnDocument } from './mail-message.ts';
import type { Outcome } from './mail-outcome.ts';

/**
 * Draws a mail's document as of now. `outdated`: the mail's reason is gone (a paid invoice), so it is not sent.
 * `undecided`: known in a moment; the mail waits. Throws DrawingError when it can never be drawn (the mail goes without
 * it), PayError `unavailable` when it cannot be drawn now (the mail waits).
 */
export interface MailDocuments {
  draw(
    mail: Pick<ClaimedMail, 'merchant_id' | 'livemode' | 'clock'>,
    attachment: MailAttachment,
    signal?: AbortSignal,
  ): Promise<DrawnDocument | 'outdated' | 'undecided'>;
}

/** Draws the documents of mails, and knows when none can be drawn. */
export type MailDrawing = ReturnType<typeof createMailDrawing>;

interface MailDrawingDeps {
  readonly documents: MailDocuments;
  readonly log: Log;
}

const defaultPauseSeconds = 5;
/** A remark outlives its pause by this long, in milliseconds: the next try may still run, or in another process. */
const remarkMs = 30_000;
const undecidedError = 'whether there is anything to tell is not known yet';

/** While drawing is unavailable, mails with documents pause: otherwise each would be claimed and put back. */
export function createMailDrawing({ documents, log }: MailDrawingDeps) {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let remark = '';
  const isPaused = () => performance.now() < quietUntil;

  function pause({ message: error, retryAfterSeconds }: PayError): Outcome {
    const waitSeconds = retryAfterSeconds ?? defaultPauseSeconds;
    if (!isPaused()) log.warn({ error, waitSeconds }, 'documents of mails cannot be drawn now; their mails wait');
    quietUntil = performance.now() + waitSeconds * 1000;
    remark = `mail: documents cannot be drawn now, their mails wait (${error})`;
    return { result: 'unready', error, waitSeconds };
  }

  return {
    /** Whether nothing can be drawn now, so that only mails without documents are worth a try. */
    isPaused,
    /** The documents of the mail, or the outcome of its attempt instead. */
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
    /** Sentences for the operator. */
    remarks: () => (performance.now() < quietUntil + remarkMs ? [remark] : []),
  };
}

/** A document that can never be drawn is left out: the mail still links to it. */
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
