const LINE_EVERY_MS = 3_000

/** Returns a function that prints a line at most every three seconds. */
export function progressLines(): (line: string) => void {
  let printedAt = performance.now()
  return (line) => {
    if (performance.now() - printedAt < LINE_EVERY_MS) return
    printedAt = performance.now()
    process.stderr.write(`${line}\n`)
  }
}
