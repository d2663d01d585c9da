import type { Urls } from '../http/request/urls.ts'

/** Links have no scheme and host, so that pages work under every host name. Canonical links use PUBLIC_URL. */
export interface Links {
  to(path: string, parameters?: Readonly<Record<string, string | number | undefined>>): string
  /** Returns the path of one of the service's own URLs; other URLs stay unchanged. */
  relative(url: string): string
}

export function createLinks(urls: Urls): Links {
  // The root is known only once the server listens.
  let known: string | undefined
  const prefix = () => (known ??= new URL(urls.root).pathname.replace(/\/$/, ''))
  return {
    to(path, parameters = {}) {
      const entries = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
      const query = new URLSearchParams(entries).toString()
      return `${prefix()}${path}${query === '' ? '' : `?${query}`}`
    },
    relative: (url) => (url.startsWith(`${urls.root}/`) ? `${prefix()}${url.slice(urls.root.length)}` : url),
  }
}

/** Returns a URL from user input if it is http or https, because `javascript:` URLs run code. */
export function toHttpUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : null
}
