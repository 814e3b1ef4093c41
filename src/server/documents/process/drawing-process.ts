/** Draws what it is sent, one order after the other. It lives as long as it is connected to who started it. */
import { draw } from './draw.ts';
import type { DrawingAnswer, DrawingRequest } from './drawing.ts';

process.on('message', async (request: DrawingRequest) => {
  process.send?.(await answerTo(request));
});
process.on('disconnect', () => process.exit());
// Signals that are meant for all at once: who started it may still need what it draws, and ends it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function answerTo(request: DrawingRequest): Promise<DrawingAnswer> {
  try {
    return { bytes: await draw(request) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
