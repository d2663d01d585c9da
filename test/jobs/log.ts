import type { JobLog } from '../../src/queue/log.ts'

const ignore = (): void => undefined

export const silentLog: JobLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export interface LogEntry {
  readonly level: string
  readonly message: string
  readonly details: object
}

export function createLogRecorder(): { log: JobLog; entries: LogEntry[] } {
  const entries: LogEntry[] = []
  const record = (level: string) => (details: object, message: string) => void entries.push({ level, message, details })
  return { entries, log: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') } }
}
