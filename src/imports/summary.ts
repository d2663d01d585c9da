import type { IssuesReport } from './import-issues.ts'
import type { PlacesReport } from './import-places.ts'
import { formatCount, formatRate } from './progress.ts'

export function formatSummary(kind: 'places' | 'issues', report: IssuesReport | PlacesReport, ms: number): string {
  const lines = [
    `${report.stopped ? 'Stopped' : 'Done'}: ${formatCount(report.imported)} ${kind} imported, ${formatCount(report.unchanged)} unchanged, ` +
      `${formatCount(report.rejected)} rejected (${formatCount(report.rows)} rows in ${(ms / 1000).toFixed(1)} s, ${formatRate(report.rows, ms)}).`,
  ]
  if (report.ignoredColumns.length > 0) lines.push(`Unknown columns were ignored: ${report.ignoredColumns.join(', ')}.`)
  if ('newIds' in report && report.newIds.count > 0) lines.push(formatNewIds(report.newIds))
  if ('repaired' in report)
    for (const { name, reason } of report.repaired) lines.push(`Repaired the boundary of ${name}: ${reason}.`)
  if ('renumberedFile' in report && report.renumberedFile !== null)
    lines.push(`The old and new ids of all renumbered issues are in ${report.renumberedFile}.`)
  if (report.rejectedFile !== null)
    lines.push(`The rejected rows are in ${report.rejectedFile}, with their lines and reasons. Correct them and import that file.`)
  if (report.rejectedFeatures !== null)
    lines.push(`The rejected features are in ${report.rejectedFeatures}. You can correct and import that file instead.`)
  if (report.stopped) lines.push('Run the same command again to continue.')
  return lines.join('\n')
}

function formatNewIds({ count: all, first }: IssuesReport['newIds']): string {
  const shown = first.map(({ line, id, newId }) => `${id} (line ${line}) is now ${newId}`).join(', ')
  return `${formatCount(all)} issues got new ids, because their ids are in use: ${shown}${all > first.length ? ', …' : ''}.`
}

/** Returns 1 if the import was stopped, 2 if rows were rejected, otherwise 0. */
export function exitCode(report: IssuesReport | PlacesReport): number {
  return report.stopped ? 1 : report.rejected > 0 ? 2 : 0
}
