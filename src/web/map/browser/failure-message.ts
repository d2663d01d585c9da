import type { MapConfig } from './config.ts'

/* The message above the list if the map or the list could not be loaded. */

export type LoadedPart = keyof MapConfig['failed']

/** Returns a function that shows the message of a part, or hides it after the part was loaded. */
export function createFailureMessage(element: HTMLElement | null, texts: MapConfig['failed']) {
  const failed = new Set<LoadedPart>()
  return (part: LoadedPart, hasFailed: boolean): void => {
    if (!element || failed.has(part) === hasFailed) return
    if (hasFailed) failed.add(part)
    else failed.delete(part)
    // Without a list, the message must not refer to it.
    element.textContent = failed.has('list') ? texts.list : failed.has('map') ? texts.map : ''
    element.hidden = failed.size === 0
  }
}
