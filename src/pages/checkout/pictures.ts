/** Replaces pictures of the shop that cannot be loaded: a logo by the name's first letter, others by nothing. */
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
