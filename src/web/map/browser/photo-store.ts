import { loadValue, saveValue } from './device-store.ts'

/* Pictures of a report wait on the device until its form is sent. */

/** A browser that stores nothing has them as long as the page is open. */
let chosen: readonly File[] = []

/** Returns the pictures; none if they are older than a day. */
export const loadPhotos = async (): Promise<readonly File[]> => (await loadValue<readonly File[]>('photos')) ?? chosen

/** Returns false if the browser stores nothing, as in some private windows. */
export function savePhotos(files: readonly File[]): Promise<boolean> {
  chosen = files
  return saveValue('photos', files.length === 0 ? undefined : files)
}
