/** A document cannot be drawn, and a retry will hardly help. The mail that would contain it is sent without it. */
export class DrawingError extends Error {
  constructor(reason: string) {
    super(`a document could not be drawn: ${reason}`);
    this.name = 'DrawingError';
  }
}
