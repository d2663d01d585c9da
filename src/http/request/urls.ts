/** Where the API's version 2 begins, relative to the public address. */
export const apiPrefix = '/api/v2'

/**
 * Every absolute URL that the service writes. They start with PUBLIC_URL, or with the loopback address that is served; never
 * with what a Host header says.
 */
export interface Urls {
  /** Scheme, host and perhaps a path, without a trailing slash. */
  readonly root: string
  /** An address under /api/v2. */
  api(path: string): string
  /** An address at the root: pages, files, documentation. */
  at(path: string): string
  readonly documentation: string
}

/** `root` is asked each time, since the port of a loopback address may only be known once the server listens. */
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
