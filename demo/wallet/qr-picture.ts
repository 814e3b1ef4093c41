const svgNamespace = 'http://www.w3.org/2000/svg';
/** Modules of white that every reader may count on round the code (ISO/IEC 18004). */
const quietZone = 4;

/** A QR code, dark on white whatever the page looks like. What draws it is loaded when first asked for. */
export async function qrPicture(text: string, label: string): Promise<SVGSVGElement> {
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * quietZone;
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
    }
  }
  const svg = document.createElementNS(svgNamespace, 'svg');
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': label })) {
    svg.setAttribute(name, value);
  }
  svg.setAttribute('class', 'qr');
  svg.setAttribute('shape-rendering', 'crispEdges');
  const dark = document.createElementNS(svgNamespace, 'path');
  dark.setAttribute('d', path);
  svg.append(dark);
  return svg;
}
