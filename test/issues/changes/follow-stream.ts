export interface Item {
  readonly id: number
  readonly issue: { readonly id: number } | null
}

interface Copy {
  readonly list: string
  readonly since: string
  readonly issues: Map<number, unknown>
}

/** Applies the stream of a list to a copy until it is ended. After `cut` it connects again with the last id that it has read. */
export function followStream(url: string, { list, since, issues }: Copy) {
  let lastId = since
  let isEnded = false
  let connection = new AbortController()

  async function connect(): Promise<void> {
    const { signal } = connection
    const response = await fetch(`${url}/api/v2/changes/stream?${list}`, {
      headers: { 'user-agent': 'fixpoint-tests', 'last-event-id': lastId },
      signal,
    })
    // A machine may be too busy to send the request in time.
    if (response.status === 408) return
    if (response.status !== 200 || !response.body) throw new Error(await response.text())
    let text = ''
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) apply(event)
    }
  }

  function apply(event: string): void {
    const fields = new Map(event.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
    if (fields.get('event') === 'change') {
      const { id, issue } = JSON.parse(fields.get('data') ?? '') as Item
      if (issue) issues.set(id, issue)
      else issues.delete(id)
    }
    lastId = fields.get('id') ?? lastId
  }

  const following = (async () => {
    while (!isEnded) {
      connection = new AbortController()
      await connect().catch((error: unknown) => {
        if (!connection.signal.aborted) throw error
      })
    }
  })()
  return {
    issues,
    cut: () => connection.abort(),
    end() {
      isEnded = true
      connection.abort()
      return following
    },
  }
}
