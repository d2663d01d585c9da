import { loadValue, saveValue } from './device-store.ts'

/* Pictures of a report wait on the device until its form is sent. */

/** A browser that stores nothing has them as long as the page is open. */
let chosen: readonly File[] = []

/** The service worker puts files into it that another app shares with this one. */
export const SHARED_CACHE = 'shared-photos'

/** Returns the pictures, those of a day at most, and then the files that were shared, which are not checked yet. */
export async function loadPhotos(): Promise<readonly File[]> {
  const photos = (await loadValue<readonly File[]>('photos')) ?? chosen
  const shared = await takeShared().catch(() => [])
  if (shared.length === 0) return photos
  await savePhotos([...photos, ...shared])
  return [...photos, ...shared]
}

/** @throws where the browser has no caches, such as on a page without HTTPS */
async function takeShared(): Promise<readonly File[]> {
  if (!(await caches.has(SHARED_CACHE))) return []
  const [form] = await (await caches.open(SHARED_CACHE)).matchAll()
  await caches.delete(SHARED_CACHE)
  const fields = [...((await form?.formData()) ?? new FormData()).values()]
  return fields.filter((field) => field instanceof File && field.name !== '') as File[]
}

/** Returns false if the browser stores nothing, as in some private windows. */
export function savePhotos(files: readonly File[]): Promise<boolean> {
  chosen = files
  return saveValue('photos', files.length === 0 ? undefined : files)
}
