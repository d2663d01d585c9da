import './outbox.ts'

/* Pages with scripts register the service worker, which is for the whole site: it lies next to the manifest. */

const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
const register = () => {
  if (manifest && 'serviceWorker' in navigator)
    void navigator.serviceWorker
      .register(new URL(`service-worker.js${new URL(manifest.href).search}`, manifest.href))
      .catch(() => undefined)
}
// The files of the worker do not delay the page.
if (document.readyState === 'complete') register()
else addEventListener('load', register, { once: true })
