/*
 * The service worker of the installed site. It keeps the page that is shown without a connection and the files of that page, and nothing else: pages
 * may be private. The server sets `SETTINGS` before this text (install.ts), so that the worker changes with the files.
 */
const { version, files, offline, share, report, photos, store } = self.SETTINGS
const PREFIX = 'fixpoint-'
const CACHE = `${PREFIX}${version}`

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([offline, ...files]))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([deleteOldCaches(), self.registration.navigationPreload?.enable(), self.clients.claim()]))
})

async function deleteOldCaches() {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)))
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, search } = new URL(request.url)
  if (origin !== self.location.origin) return
  if (request.method === 'POST' && pathname === share) event.respondWith(keepShared(request))
  else if (request.method === 'GET' && request.mode === 'navigate') event.respondWith(openPage(event))
  else if (request.method === 'GET' && files.includes(`${pathname}${search}`)) event.respondWith(readFile(request))
})

/** The browser itself sends the request (`preloadResponse`), so that it keeps the headers that say which site caused it. */
async function openPage(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request))
  } catch {
    return (await caches.match(offline, { cacheName: CACHE })) ?? Response.error()
  }
}

const readFile = async (request) => (await caches.match(request, { cacheName: CACHE })) ?? fetch(request)

/** Puts pictures that another app shares to those of the next report, on this device. The user sees them, and may remove them, before anything is sent. */
async function keepShared(request) {
  const form = await request.formData().catch(() => new FormData())
  const shared = form.getAll(photos.field).filter(isPhoto)
  if (shared.length > 0) await addPhotos(shared).catch(() => undefined)
  return Response.redirect(report, 303)
}

const isPhoto = (file) => file instanceof File && file.type.startsWith('image/') && file.size > 0 && file.size <= photos.bytesMax

async function addPhotos(shared) {
  const database = await openDatabase()
  const objects = database.transaction('photos', 'readwrite').objectStore('photos')
  const kept = await toPromise(objects.get(store.key))
  const isFresh = kept !== undefined && Date.now() - kept.savedAt < store.hoursMax * 3_600_000
  const value = [...(isFresh ? kept.value : []), ...shared].slice(0, photos.max)
  await toPromise(objects.put({ value, savedAt: Date.now() }, store.key))
  database.close()
}

function openDatabase() {
  const opening = indexedDB.open(store.database, store.version)
  opening.addEventListener('upgradeneeded', () => {
    for (const name of store.names) if (!opening.result.objectStoreNames.contains(name)) opening.result.createObjectStore(name)
  })
  return toPromise(opening)
}

const toPromise = (request) =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(new Error('IndexedDB failed', { cause: request.error })))
  })
