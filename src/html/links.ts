import type { Urls } from '../http/request/urls.ts'

/**
 * Addresses as pages write them: without scheme and host, so that a page works, and its policy lets it load its own style, under
 * whatever name a reader reached it. Answers and canonical links keep PUBLIC_URL.
 */
export interface Links {
  /** An address at the root of the service, such as '/places/denver'. */
  to(path: string, parameters?: Readonly<Record<string, string | number | undefined>>): string
  /** An absolute URL that the service itself wrote; one of another host stays as it is. */
  relative(url: string): string
}

export function createLinks(urls: Urls): Links {
  const prefix = new URL(urls.root).pathname.replace(/\/$/, '')
  return {
    to(path, parameters = {}) {
      const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
      const query = new URLSearchParams(given).toString()
      return `${prefix}${path}${query === '' ? '' : `?${query}`}`
    },
    relative: (url) => (url.startsWith(`${urls.root}/`) ? `${prefix}${url.slice(urls.root.length)}` : url),
  }
}

/** A link that somebody gave us, only where it is one for a browser: `javascript:` and the like are no links. */
export function toHttpUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : null
}
