/** The map as an image, for browsers without WebGL. */
export interface Drawing {
  readonly path: string
  readonly text: string
}

export function showDrawing(container: HTMLElement, { path, text }: Drawing): void {
  container.replaceChildren(Object.assign(new Image(), { src: path, alt: text }))
}
