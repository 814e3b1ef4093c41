import { ShownError } from '../controls/states.ts';

/** Largest size of the PNG that is drawn from an SVG, in pixels. */
const box = { width: 1200, height: 420 };
/** Size of an SVG that states none (CSS 2.1 §10.3.2), in pixels. */
const usual = { width: 300, height: 150 };

/**
 * The picture of a file as data URL. An SVG becomes a PNG, because the service takes PNG, JPEG and WebP only. An SVG
 * in an image element runs no scripts and loads nothing. Throws a ShownError for a file that cannot be read or drawn.
 */
export async function readPicture(file: File): Promise<string> {
  if (file.type !== 'image/svg+xml') return await readUrl(file);
  const image = new Image();
  image.src = await readUrl(new Blob([sized(await file.text())], { type: file.type }));
  await image.decode().catch(() => {
    throw new ShownError(`${file.name} is an SVG that cannot be drawn.`);
  });
  const scale = Math.min(box.width / image.width, box.height / image.height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png');
}

/**
 * The SVG with a size in pixels, because some browsers do not draw an SVG without one. Works on the text: the content
 * security policy of the dashboard lets no page parse markup.
 */
function sized(text: string): string {
  return text.replace(/<(?:[\w.-]+:)?svg\b[^>]*/, tag => {
    const [, , width, height] = (attribute(tag, 'viewBox') ?? '')
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const given = width && height ? { width, height } : usual;
    let result = tag;
    for (const name of ['width', 'height'] as const) {
      const value = attribute(result, name);
      if (value !== null && !value.endsWith('%')) continue;
      const rest = result.replace(new RegExp(`\\s${name}\\s*=\\s*("[^"]*"|'[^']*')`), '');
      result = rest.replace(/svg\b/, `svg ${name}="${given[name]}"`);
    }
    return result;
  });
}

function attribute(tag: string, name: string): string | null {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? [];
  return double ?? single ?? null;
}

function readUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new ShownError('The file cannot be read.'));
    reader.readAsDataURL(blob);
  });
}
