import type { Speed } from './measure.ts'
import type { BenchRow } from './rows.ts'

export interface Goal {
  readonly text: string
  readonly reached: boolean
}

const columns = ['', 'HTTP /s', 'p50 ms', 'p99 ms', 'database /s', 'p50 ms', 'p99 ms', 'ratio', 'goal'] as const
const widths = [26, 10, 8, 8, 12, 8, 8, 7, 30]

export const header = line(columns)

export function line(cells: readonly string[]): string {
  return cells
    .map((cell, n) => (n === 0 || n === 8 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
    .join(' ')
    .trimEnd()
}

const number = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1))

export function findGoals(row: BenchRow, database: Speed, http: Speed | undefined): Goal[] {
  if (!http) return []
  const ratio = http.perSecond / database.perSecond
  const goals: Goal[] = []
  if (row.ratioMin !== undefined) goals.push({ text: `ratio ≥ ${row.ratioMin}`, reached: ratio >= row.ratioMin })
  if (row.p99Max !== undefined) goals.push({ text: `p99 ≤ ${row.p99Max} ×`, reached: http.p99 <= row.p99Max * database.p99 })
  if (http.errors > 0) goals.push({ text: `${http.errors} wrong answers`, reached: false })
  return goals
}

export function formatRow(row: BenchRow, database: Speed, http: Speed | undefined, goals: readonly Goal[]): string {
  const of = (speed: Speed | undefined) =>
    speed ? [number(speed.perSecond), speed.p50.toFixed(1), speed.p99.toFixed(1)] : ['', '', '']
  const ratio = http ? (http.perSecond / database.perSecond).toFixed(2) : ''
  return line([row.name, ...of(http), ...of(database), ratio, goals.map(goalText).join(', ')])
}

export const goalText = ({ text, reached }: Goal) => `${text} ${reached ? 'reached' : 'MISSED'}`
