/*
 * The service worker of the installed site. It keeps the page that is shown without a connection and the files of that page, and nothing else: pages
 * may be private. The server sets `SETTINGS` before this text (install.ts), so that the worker changes with the files.
 */
const { version, files, offline, share, shared, report } = self.SETTINGS
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

/** Puts what another app shares into a cache, from which the next report takes its pictures. The user sees them before anything is sent. */
async function keepShared(request) {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  const body = new Response(await request.blob(), { headers })
  await caches
    .open(shared)
    .then((cache) => cache.put(share, body))
    .catch(() => undefined)
  return Response.redirect(report, 303)
}
