import ipaddr from 'ipaddr.js'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { aborted } from 'node:util'

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

interface EndpointRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: URLSearchParams
  /** A JSON text, instead of a form. */
  readonly json?: string
}

export interface EndpointResponse {
  readonly status: number
  readonly text: string
  readonly retryAfter?: string | undefined
  readonly link?: string | undefined
}

export interface EndpointClient {
  /** Redirects are not followed. @throws EndpointError if there is no complete response */
  send(request: EndpointRequest, signal: AbortSignal): Promise<EndpointResponse>
}

type ResolveHost = (host: string) => Promise<readonly string[]>

export interface EndpointClientOptions {
  /** CIDR ranges of FORWARD_ALLOW. */
  readonly allow: readonly string[]
  /** Covers the whole exchange, from the lookup to the last byte. */
  readonly timeoutMs?: number
  readonly bytesMax?: number
  readonly resolve?: ResolveHost
}

/** A lease of a delivery is longer than its requests. */
const REQUEST_TIMEOUT_MS = 20_000
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024

const resolveHost: ResolveHost = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** The host is resolved once, and the connection goes to the checked address, so that a name that changes cannot lead to another one. */
export function createEndpointClient({
  allow,
  timeoutMs = REQUEST_TIMEOUT_MS,
  bytesMax = RESPONSE_BYTES_MAX,
  resolve = resolveHost,
}: EndpointClientOptions): EndpointClient {
  const rule = createAddressRule(allow)
  return {
    async send(request, stopping) {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping])
      const url = new URL(request.url)
      const progress = { isConnected: false }
      try {
        const address = await findAddress(url, rule, resolve, signal)
        const onConnected = () => (progress.isConnected = true)
        // A request that changes the protocol (101) emits neither a response nor an error.
        return await abortable(exchange({ url, request, address, bytesMax, signal, onConnected }), signal)
      } catch (error) {
        if (error instanceof EndpointError) throw error
        throw new EndpointError(describe(error, signal, stopping), progress.isConnected)
      }
    },
  }
}

/** @throws EndpointError if any address of the host is refused, or for http to a host outside of FORWARD_ALLOW */
async function findAddress({ hostname, protocol }: URL, rule: AddressRule, resolve: ResolveHost, signal: AbortSignal) {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await abortable(resolve(host), signal) : [host]
  const kinds = addresses.map(rule)
  const [address] = addresses
  if (address === undefined) throw new EndpointError('the host of the endpoint has no address', false)
  if (kinds.includes('refused')) {
    throw new EndpointError('the host of the endpoint has a private address that is not in FORWARD_ALLOW', false)
  }
  if (protocol !== 'https:' && kinds.some((kind) => kind !== 'allowed')) {
    throw new EndpointError('the endpoint must use https, unless its address is in FORWARD_ALLOW', false)
  }
  return address
}

const abortable = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  Promise.race([work, aborted(signal, signal).then(() => Promise.reject(signal.reason as Error))])

interface Exchange {
  readonly url: URL
  readonly request: EndpointRequest
  readonly address: string
  readonly bytesMax: number
  readonly signal: AbortSignal
  readonly onConnected: () => void
}

function exchange({ url, request, address, bytesMax, signal, onConnected }: Exchange): Promise<EndpointResponse> {
  const body = request.json ?? request.form?.toString()
  const type = request.json === undefined ? 'application/x-www-form-urlencoded; charset=utf-8' : 'application/json'
  const pinned: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [{ address, family: isIP(address) }]) : done(null, address, isIP(address))
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(url, {
      method: request.method,
      // A new connection for each request: a kept one would be to an address that was checked earlier.
      agent: false,
      lookup: pinned,
      signal,
      headers: {
        'user-agent': 'Fixpoint',
        accept: 'application/json, text/xml;q=0.9, application/xml;q=0.9',
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
        ...request.headers,
      },
    })
    sent.on('socket', (socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected))
    sent.on('error', reject)
    sent.on('response', (response) => {
      readBody(response, bytesMax).then((text) => {
        const { 'retry-after': retryAfter, link } = response.headers
        resolve({ status: response.statusCode ?? 0, text, retryAfter, link: link && [link].flat().join(', ') })
      }, reject)
    })
    sent.end(body)
  })
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<string> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    response.destroy()
    throw new EndpointError('the endpoint compresses its response although it may not', true)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop early destroys the response and its connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new EndpointOverflow(`the response of the endpoint is larger than ${bytesMax} bytes`, true)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function describe(error: unknown, signal: AbortSignal, stopping: AbortSignal): string {
  if (stopping.aborted) return 'the request was stopped, because the process ends or the attempt took too long'
  if (signal.aborted) return 'the endpoint did not respond in time'
  const { code, message } = error as NodeJS.ErrnoException
  return `the endpoint cannot be reached: ${code ?? message}`
}

/** `allowed` addresses are in FORWARD_ALLOW; `public` ones are reachable from the internet. */
type AddressKind = 'allowed' | 'public' | 'refused'
type AddressRule = (address: string) => AddressKind

/** Addresses outside of it are no global unicast, such as `::127.0.0.1`, the deprecated IPv4-compatible form (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/**
 * Returns a rule that refuses every address which is not public: private, loopback, link-local, carrier-grade NAT, multicast and reserved ones, and
 * IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo).
 * @param networks CIDR ranges that are allowed nevertheless
 */
export function createAddressRule(networks: readonly string[]): AddressRule {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network))
  return (text) => {
    // `process` turns an IPv4-mapped IPv6 address into the IPv4 address.
    const address = ipaddr.process(text)
    const isAllowed = allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
    if (isAllowed) return 'allowed'
    const isPublic = address.range() === 'unicast' && (!(address instanceof ipaddr.IPv6) || address.match(GLOBAL_UNICAST))
    return isPublic ? 'public' : 'refused'
  }
}
