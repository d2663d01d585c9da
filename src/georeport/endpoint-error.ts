/** There is no usable response of an endpoint. */
export class EndpointError extends Error {
  override name = 'EndpointError'
  /** The endpoint may have received the request, so that it may have done what it asked for. */
  readonly mayBeDone: boolean
  /** Seconds for which the endpoint is to be left alone. */
  readonly pause_s: number | undefined

  constructor(message: string, mayBeDone: boolean, pause_s?: number) {
    super(message)
    this.mayBeDone = mayBeDone
    this.pause_s = pause_s
  }
}

/** There are more entries than one response or all pages may have. A shorter period has fewer. */
export class EndpointOverflow extends EndpointError {
  override name = 'EndpointOverflow'
}

/** The endpoint responded that it did not do what was asked for, which includes redirects. */
export class EndpointRefusal extends Error {
  override name = 'EndpointRefusal'
  readonly status: number
  /** Seconds for which the endpoint is to be left alone. */
  readonly pause_s: number | undefined
  /** The endpoint refers to what it has already instead of what was asked for. */
  readonly isDuplicate: boolean

  constructor(
    message: string,
    status: number,
    { pause_s, isDuplicate = false }: { pause_s?: number | undefined; isDuplicate?: boolean } = {},
  ) {
    super(message)
    this.status = status
    this.pause_s = pause_s
    this.isDuplicate = isDuplicate
  }
}

/** Returns undefined unless the endpoint asked for a pause. */
export const pauseOf = (error: unknown): number | undefined =>
  error instanceof EndpointRefusal || error instanceof EndpointError ? error.pause_s : undefined

/** Returns whether the endpoint has certainly not done what was asked for. */
export const isUndone = (error: unknown): boolean =>
  error instanceof EndpointRefusal || (error instanceof EndpointError && !error.mayBeDone)

/** An endpoint responds with them to operations or parameters that it does not have. */
const UNSUPPORTED = new Set([400, 404, 405, 410, 501])

/** Returns an empty list if the endpoint does not have the operation. */
export async function unlessUnsupported<Entry>(entries: Promise<Entry[]>): Promise<Entry[]> {
  return entries.catch((error: unknown) => {
    if (error instanceof EndpointRefusal && UNSUPPORTED.has(error.status)) return []
    throw error
  })
}
