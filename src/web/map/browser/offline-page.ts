import { NO_REPORT } from './device-store.ts'
import { showPhotoPicker } from './photo-picker.ts'
import './outbox.ts'
import './waiting-drafts.ts'

/* The page without a connection: it has the drafts and the pictures of the device, and says when the connection is back. */

const status = document.querySelector<HTMLElement>('[data-connection]')
addEventListener('online', () => {
  if (status) status.textContent = status.dataset['online'] ?? ''
})
document.querySelector('[data-again]')?.addEventListener('click', (event) => {
  // The service worker shows this page under the address that could not be loaded.
  if (location.pathname.endsWith('/offline')) return
  event.preventDefault()
  location.reload()
})
const photos = document.querySelector<HTMLElement>('[data-photos]')
if (photos) void showPhotoPicker(photos, { key: NO_REPORT })
