import { readFileSync } from 'node:fs'

/** Returns the resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const text = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(text ?? 0) / 1024)
}
