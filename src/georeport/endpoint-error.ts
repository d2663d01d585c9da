/** There is no usable response of an endpoint. */
export class EndpointError extends Error {
  override name = 'EndpointError'
  /** The endpoint may have received the request, so that it may have done what it asked for. */
  readonly mayBeDone: boolean

  constructor(message: string, mayBeDone: boolean) {
    super(message)
    this.mayBeDone = mayBeDone
  }
}

/** The endpoint responded that it did not do what was asked for, which includes redirects. */
export class EndpointRefusal extends Error {
  override name = 'EndpointRefusal'
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

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
