/** A document cannot be drawn, and trying again will hardly help. What it would have gone with goes without it. */
export class DrawingError extends Error {
  constructor(reason: string) {
    super(`a document could not be drawn: ${reason}`);
    this.name = 'DrawingError';
  }
}
