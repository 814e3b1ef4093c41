/** A picture that a canvas can draw. */
type Picture = HTMLVideoElement | ImageBitmap;

/** Sides at which a code is looked for: a code in a large photograph is found in a smaller copy of it, and the reverse. */
const photographSides = [1600, 800, 400];
const cameraSide = 800;

/** The text of the QR code in an image file, or null where there is none. Throws DOMException where it is no image. */
export async function readCodeInFile(file: Blob): Promise<string | null> {
  const picture = await createImageBitmap(file);
  for (const side of photographSides) {
    const text = await readCode(picture, picture.width, picture.height, side);
    if (text !== null) return text;
  }
  return null;
}

/** The text of the QR code that the camera sees now, or null. */
export async function readCodeInVideo(video: HTMLVideoElement): Promise<string | null> {
  return video.videoWidth === 0 ? null : await readCode(video, video.videoWidth, video.videoHeight, cameraSide);
}

/** The reader is loaded when there is first something to read. */
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
