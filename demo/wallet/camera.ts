import { h } from '../shop/dom.ts';
import { readCodeInVideo } from './qr-reader.ts';

/** The camera cannot be used; the message says why and what to do instead. */
export class CameraProblem extends Error {}

const betweenLooksMs = 150;

/** Why a camera is not given, by the name of the browser's error (Media Capture and Streams). */
const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'The camera is not allowed for this page. Choose a picture of the code or paste the link.',
  NotFoundError: 'There is no camera here. Choose a picture of the code or paste the link.',
  NotReadableError: 'Another program uses the camera. Close it, or paste the link.',
};

/** Shows what the camera sees in the place and resolves with the first code's text; null when the signal aborts before. Throws CameraProblem. */
export async function scanWithCamera(place: HTMLElement, signal: AbortSignal): Promise<string | null> {
  const stream = await openCamera();
  const video = h('video', { class: 'camera', playsinline: true, muted: true, 'aria-label': 'What the camera sees' });
  video.muted = true;
  video.srcObject = stream;
  place.replaceChildren(video);
  try {
    // Leaving the page while the picture starts is no trouble of the camera's.
    await video.play().catch(() => undefined);
    while (!signal.aborted) {
      const text = await readCodeInVideo(video);
      if (text !== null) return text;
      await new Promise(resolve => setTimeout(resolve, betweenLooksMs));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.remove();
  }
}

async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  } catch (cause) {
    const name = cause instanceof DOMException ? cause.name : '';
    throw new CameraProblem(reasons[name] ?? 'The camera does not work here. Paste the link instead.', { cause });
  }
}
