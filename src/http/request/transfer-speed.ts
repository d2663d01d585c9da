export const SPEED_PERIOD_S = 30
/** Minimum average in bytes per second of uploads and downloads, below a slow mobile connection. */
export const SPEED_MIN = 10_000
/** Bytes per second; a faster transfer never gives way. */
const SLOW_MAX = 100_000

/** A body that arrives or a file that is sent. It occupies a slot. */
export interface Transfer {
  /** Returns the bytes per second of the last complete period of 30 seconds, and undefined while the client is not the reason for them. */
  speed(): number | undefined
  /** Ends the transfer and frees its slot. */
  giveWay(): void
}

/** Calls `check` with the speed of each period of 30 seconds. */
export function measureSpeed(readBytes: () => number, check: (bytesPerSecond: number) => void) {
  let bytesBefore = readBytes()
  let speed: number | undefined
  const timer = setInterval(() => {
    const bytes = readBytes()
    speed = (bytes - bytesBefore) / SPEED_PERIOD_S
    bytesBefore = bytes
    check(speed)
  }, SPEED_PERIOD_S * 1000).unref()
  return { speed: () => speed, stop: () => clearInterval(timer) }
}

/** Ends the slowest transfer that is slow, so that clients which trickle cannot occupy all slots. Returns true if there was one. */
export function endSlowest(transfers: Iterable<Transfer>): boolean {
  const speedOf = (transfer: Transfer) => transfer.speed() ?? Infinity
  const [slowest] = [...transfers].sort((a, b) => speedOf(a) - speedOf(b))
  if (!slowest || speedOf(slowest) > SLOW_MAX) return false
  slowest.giveWay()
  return true
}
