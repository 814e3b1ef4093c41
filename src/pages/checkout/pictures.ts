/** Replaces a logo of the shop that cannot be loaded by the name's first letter. Removes other such pictures. */
for (const picture of document.images) {
  picture.decode().catch(() => {
    const { letter } = picture.dataset;
    if (!letter) return picture.remove();
    const span = document.createElement('span');
    span.className = 'logo letter';
    span.textContent = letter;
    span.ariaHidden = 'true';
    picture.replaceWith(span);
  });
}

export {};
