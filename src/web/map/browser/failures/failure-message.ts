/* The message of a page if its map or its list could not be loaded. */

export type LoadedPart = 'map' | 'list'

/** Returns a function that shows the message of a part, or hides it after the part was loaded. */
export function createFailureMessage(texts: Readonly<Record<LoadedPart, string>>) {
  const element = document.getElementById('map-failure')
  const failed = new Set<LoadedPart>()
  return (part: LoadedPart, hasFailed: boolean): void => {
    if (!element || failed.has(part) === hasFailed) return
    if (hasFailed) failed.add(part)
    else failed.delete(part)
    element.textContent = failed.has('list') ? texts.list : failed.has('map') ? texts.map : ''
    element.hidden = failed.size === 0
  }
}
