import { loadValues, NO_REPORT, saveValue } from './device-store.ts'

/* Pictures of reports wait on the device until their forms are sent. */

/** A browser that stores nothing has them as long as the page is open. */
let chosen: readonly File[] = []
/** The key of the report that they belong to. */
let owner = NO_REPORT

/** The service worker puts files into it that another app shares with this one. */
export const SHARED_CACHE = 'shared-photos'

/** Returns the pictures of a report, else those chosen for the next one, and then the files that were shared, which are not checked yet. */
export async function loadPhotos(key: string): Promise<readonly File[]> {
  const stored = await loadValues<readonly File[]>('photos')
  owner = stored.has(key) ? key : NO_REPORT
  chosen = stored.get(owner) ?? chosen
  const shared = await takeShared().catch(() => [])
  if (shared.length > 0) await savePhotos([...chosen, ...shared])
  return chosen
}

/** @throws where the browser has no caches, such as on a page without HTTPS */
async function takeShared(): Promise<readonly File[]> {
  if (!(await caches.has(SHARED_CACHE))) return []
  const [form] = await (await caches.open(SHARED_CACHE)).matchAll()
  await caches.delete(SHARED_CACHE)
  const fields = [...((await form?.formData()) ?? new FormData()).values()]
  return fields.filter((field) => field instanceof File && field.name !== '') as File[]
}

/**
 * Stores the pictures, for another report if its key is given. Returns false if the browser stores nothing, as in some private windows.
 * @param key the key of the report's draft
 */
export async function savePhotos(files: readonly File[], key = owner): Promise<boolean> {
  const before = owner
  chosen = files
  owner = key
  const isStored = await saveValue('photos', files.length === 0 ? undefined : files, key)
  if (before !== key) await saveValue('photos', undefined, before)
  return isStored
}
