import { loadValue, saveValue } from './device-store.ts'

/* Pictures that were chosen at the start of a report wait on the device for its form. */

/** Returns the pictures; none if they are older than a day. */
export const loadPhotos = async (): Promise<readonly File[]> => (await loadValue<readonly File[]>('photos')) ?? []

/** Returns false if the browser stores nothing, as in some private windows. */
export const savePhotos = (files: readonly File[]): Promise<boolean> => saveValue('photos', files.length === 0 ? undefined : files)
