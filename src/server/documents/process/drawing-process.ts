/** Draws requested documents, one after another. The process ends when its connection to the service closes. */
import { draw } from './draw.ts';
import type { DrawingAnswer, DrawingRequest } from './drawing.ts';

process.on('message', async (request: DrawingRequest) => {
  process.send?.(await answerTo(request));
});
process.on('disconnect', () => process.exit());
// Ignores signals to the process group. A stopping service may still need the drawing; it disconnects afterwards.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function answerTo(request: DrawingRequest): Promise<DrawingAnswer> {
  try {
    return { bytes: await draw(request) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
