export const SPEED_PERIOD_S = 30
/** Minimum average in bytes per second of uploads and downloads, below a slow mobile connection. */
export const SPEED_MIN = 10_000
/** Bytes per second; a faster transfer never gives way. */
const SLOW_MAX = 100_000

/** A body that arrives or a file that is sent. It occupies a slot. */
export interface Transfer {
  /** Returns bytes per second, and undefined while it is not known or the client is not the reason for it. */
  speed(): number | undefined
  /** Ends the transfer and frees its slot. */
  giveWay(): void
}

/** A younger transfer does not give way. */
const YOUNG_MS = 2_000
/** A client that is not slow reads so many bytes in a millisecond, and fills the buffers first. */
const BUFFERED_PER_MS = 500

/**
 * Calls `check` with the speed of each period of 30 seconds. `speed` is that of the last complete period, and in the first one the average so
 * far, so that clients which begin again before its end give way, too.
 * @param buffered the bytes that buffers take at once, whatever the client reads
 */
export function measureSpeed(readBytes: () => number, check: (bytesPerSecond: number) => void, buffered = 0) {
  const startedAt = performance.now()
  const bytesAtStart = readBytes()
  let bytesBefore = bytesAtStart
  let speed: number | undefined
  const youngMs = YOUNG_MS + buffered / BUFFERED_PER_MS
  const averageSoFar = () => {
    const ageMs = performance.now() - startedAt
    return ageMs < youngMs ? undefined : Math.max(0, readBytes() - bytesAtStart - buffered) / (ageMs / 1000)
  }
  const timer = setInterval(() => {
    const bytes = readBytes()
    speed = (bytes - bytesBefore) / SPEED_PERIOD_S
    bytesBefore = bytes
    check(speed)
  }, SPEED_PERIOD_S * 1000).unref()
  return { speed: () => speed ?? averageSoFar(), stop: () => clearInterval(timer) }
}

/** Ends the slowest transfer that is slow, so that clients which trickle cannot occupy all slots. Returns it if there was one. */
export function endSlowest<One extends Transfer>(transfers: Iterable<One>): One | undefined {
  const speedOf = (transfer: One) => transfer.speed() ?? Infinity
  const [slowest] = [...transfers].sort((a, b) => speedOf(a) - speedOf(b))
  if (!slowest || speedOf(slowest) > SLOW_MAX) return undefined
  slowest.giveWay()
  return slowest
}
