/** This limits a response of the geocoder; one place with all its names takes a few kilobytes. */
const RESPONSE_BYTES_MAX = 64 * 1024

/**
 * Returns the JSON that a geocoder answers, or undefined if it fails or is too slow. The timeout covers the whole response.
 * Redirects are errors because the operator chose this server.
 */
export async function requestJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Fixpoint', accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const body = await readText(response)
    return response.ok && body !== undefined ? (JSON.parse(body) as unknown) : undefined
  } catch {
    return undefined
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > RESPONSE_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
