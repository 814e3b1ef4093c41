import { parentPort } from 'node:worker_threads';
import { draw } from './draw.ts';
import type { DrawingAnswer, DrawingRequest } from './drawing.ts';

parentPort?.on('message', async (request: DrawingRequest) => {
  const answer = await answerTo(request);
  parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : []);
});

async function answerTo(request: DrawingRequest): Promise<DrawingAnswer> {
  try {
    return { bytes: Uint8Array.from(await draw(request)) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
