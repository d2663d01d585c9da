import type { JobLog } from '../../src/queue/log.ts'

const ignore = (): void => undefined

export const silentLog: JobLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export interface Told {
  readonly level: string
  readonly message: string
  readonly details: object
}

/** A log that remembers what it was told. */
export function rememberingLog(): { log: JobLog; told: Told[] } {
  const told: Told[] = []
  const remember = (level: string) => (details: object, message: string) => void told.push({ level, message, details })
  return { told, log: { debug: remember('debug'), info: remember('info'), warn: remember('warn'), error: remember('error') } }
}
