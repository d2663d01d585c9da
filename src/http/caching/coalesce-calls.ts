/** Shares one call between concurrent callers. A caller during a call gets the next one, which sees everything before it. */
export function coalesceCalls<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const start = () => {
    next = undefined
    const call = read().finally(() => {
      if (current === call) current = undefined
    })
    current = call
    return call
  }
  return () => {
    if (!current) return start()
    next ??= current.then(start, start)
    return next
  }
}
