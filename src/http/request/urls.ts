export const apiPrefix = '/api/v2'
/** Limit in characters for a URL without its origin. */
export const URL_MAX = 8_000

/** Builds absolute URLs from PUBLIC_URL or the loopback address, and never from the Host header. */
export interface Urls {
  readonly root: string
  /** Returns the URL of a path relative to /api/v2. */
  api(path: string): string
  /** Returns the URL of a path relative to the root. */
  at(path: string): string
  readonly documentation: string
}

/** The function `root` is called each time, because a free port is known only once the server listens. */
export function urlsFrom(root: () => string): Urls {
  return {
    get root() {
      return root()
    },
    api: (path) => `${root()}${apiPrefix}${path}`,
    at: (path) => `${root()}${path}`,
    get documentation() {
      return `${root()}/docs`
    },
  }
}
