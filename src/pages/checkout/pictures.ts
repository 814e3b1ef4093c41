/** If the shop's logo cannot be loaded, shows the first letter of its name. Removes other broken pictures. */
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
