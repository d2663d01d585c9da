import type { Links } from '../../html/links.ts'
import type { Texts } from '../../locales/texts.ts'

interface ManifestOptions {
  readonly texts: Texts
  readonly links: Links
  /** Path to which other apps share pictures. */
  readonly share: string
}

/** Returns the manifest of the site as an app (W3C Web Application Manifest; the share target is in the Web Share Target draft). */
export function manifest({ texts, links: { to }, share }: ManifestOptions): object {
  const icon = (name: string, sizes: string, type: string, purpose: 'any' | 'maskable') => ({
    src: to(`/files/${name}`),
    sizes,
    type,
    purpose,
  })
  return {
    id: to('/'),
    name: 'Fixpoint',
    short_name: 'Fixpoint',
    description: texts('map.description'),
    lang: texts.language,
    start_url: to('/'),
    scope: to('/'),
    display: 'standalone',
    theme_color: '#0b6176',
    background_color: '#f6f7f5',
    icons: [
      icon('favicon.svg', 'any', 'image/svg+xml', 'any'),
      icon('app/icon-192.png', '192x192', 'image/png', 'any'),
      icon('app/icon-512.png', '512x512', 'image/png', 'any'),
      icon('app/icon-maskable-512.png', '512x512', 'image/png', 'maskable'),
    ],
    shortcuts: [{ name: texts('map.reportHere'), url: to('/report') }],
    share_target: {
      action: to(share),
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'photos', accept: ['image/*', '.heic', '.heif'] }] },
    },
  }
}
