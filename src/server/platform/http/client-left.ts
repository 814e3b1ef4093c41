import type { FastifyReply } from 'fastify';
import { PayError } from '../../../core/error.ts';

/** Aborts when whoever asked has left before the answer: what is done for it alone may be left undone. */
export function whenClientLeaves({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new PayError('request_timeout', 'Whoever asked has left before the answer.'));
  if (raw.destroyed) leave();
  raw.once('close', () => raw.writableFinished || leave());
  return leaving.signal;
}
