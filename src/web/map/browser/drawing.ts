/** The map as an image, for browsers without WebGL and until the map is loaded. */
export interface Drawing {
  readonly path: string
  readonly text: string
  /** Says that the map is being loaded. */
  readonly loading: string
}

export function showDrawing(container: HTMLElement, { path, text }: Drawing): void {
  container.replaceChildren(createImage(path, text))
}

const createImage = (path: string, text: string) => Object.assign(new Image(), { src: path, alt: text })

/** A map that is ready sooner needs no image. */
const COVER_AFTER_MS = 700
/** A user who moves the map sees it at once. */
const USES = ['pointerdown', 'wheel', 'keydown'] as const

/** Shows the drawn map in the container if the map takes long. Returns a function that removes it. */
export function coverWithDrawing(container: HTMLElement, { path, text, loading }: Drawing): () => void {
  const cover = Object.assign(document.createElement('div'), { className: 'map-cover' })
  const note = Object.assign(document.createElement('p'), { textContent: loading })
  note.setAttribute('role', 'status')
  const timer = setTimeout(() => {
    cover.append(createImage(path, text), note)
    container.append(cover)
  }, COVER_AFTER_MS)
  const uncover = () => {
    clearTimeout(timer)
    cover.remove()
    for (const use of USES) container.removeEventListener(use, uncover)
  }
  for (const use of USES) container.addEventListener(use, uncover)
  return uncover
}
