/** Returns a cross for the middle of a map. The style sheet shows it where its point counts. */
export function createCross(): HTMLElement {
  const cross = Object.assign(document.createElement('div'), { className: 'map-cross' })
  cross.setAttribute('aria-hidden', 'true')
  return cross
}
