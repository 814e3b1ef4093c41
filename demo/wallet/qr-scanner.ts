import { h } from '../shop/dom.ts';

/** The camera cannot be used. The message names the reason and a remedy. */
export class CameraProblem extends Error {}

const betweenLooksMs = 150;

/** Messages by the name of the browser's error (Media Capture and Streams). */
const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'The camera is not allowed for this page. Choose a picture of the code or paste the link.',
  NotFoundError: 'There is no camera here. Choose a picture of the code or paste the link.',
  NotReadableError: 'Another program uses the camera. Close it, or paste the link.',
};

/**
 * Shows the camera's picture and resolves with the text of the first code; null when the signal aborts. Throws
 * CameraProblem.
 */
export async function scanWithCamera(place: HTMLElement, signal: AbortSignal): Promise<string | null> {
  const stream = await openCamera();
  const video = h('video', { class: 'camera', playsinline: true, muted: true, 'aria-label': 'What the camera sees' });
  video.muted = true;
  video.srcObject = stream;
  place.replaceChildren(video);
  try {
    // Playing fails when the user leaves the page, which is not a camera problem.
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

type Picture = HTMLVideoElement | ImageBitmap;

/** Longest sides in pixels to try. Some codes are found only in a smaller copy of a photograph. */
const photographSides = [1600, 800, 400];
const cameraSide = 800;

/** The text of the QR code in an image file, or null. Throws DOMException for a file that is not an image. */
export async function readCodeInFile(file: Blob): Promise<string | null> {
  const picture = await createImageBitmap(file);
  for (const side of photographSides) {
    const text = await readCode(picture, picture.width, picture.height, side);
    if (text !== null) return text;
  }
  return null;
}

/** The text of the QR code in the current camera frame, or null. */
async function readCodeInVideo(video: HTMLVideoElement): Promise<string | null> {
  return video.videoWidth === 0 ? null : await readCode(video, video.videoWidth, video.videoHeight, cameraSide);
}

/** Loads the QR reader at first use. */
async function readCode(picture: Picture, width: number, height: number, side: number): Promise<string | null> {
  const { default: reader } = await import('jsqr');
  const scale = Math.min(1, side / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return null;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return reader.default(data, canvas.width, canvas.height)?.data ?? null;
}
