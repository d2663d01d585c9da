import type { IssuesReport } from './import-issues.ts'
import type { PlacesReport } from './import-places.ts'
import { count, rate } from './progress.ts'

/** Returns the result of an import as lines of text. */
export function formatSummary(what: 'places' | 'issues', report: IssuesReport | PlacesReport, ms: number): string {
  const lines = [
    `${report.stopped ? 'Stopped' : 'Done'}: ${count(report.imported)} ${what} imported, ${count(report.unchanged)} unchanged, ` +
      `${count(report.rejected)} rejected (${count(report.rows)} rows in ${(ms / 1000).toFixed(1)} s, ${rate(report.rows, ms)}).`,
  ]
  if (report.ignoredColumns.length > 0) lines.push(`Ignored, since nothing is known of them: ${report.ignoredColumns.join(', ')}.`)
  if ('newIds' in report && report.newIds.count > 0) lines.push(formatNewIds(report.newIds))
  if ('repaired' in report)
    for (const { name, reason } of report.repaired) lines.push(`Repaired the boundary of ${name}: ${reason}.`)
  if ('renumberedFile' in report && report.renumberedFile !== null)
    lines.push(`The old and the new id of each issue that was renumbered are in ${report.renumberedFile}.`)
  if (report.rejectedFile !== null)
    lines.push(`The rejected rows are in ${report.rejectedFile}, each with its line and the reason.`)
  if (report.rejectedFeatures !== null)
    lines.push(`They are in ${report.rejectedFeatures} as features, too, to be put right and imported from there.`)
  if (report.stopped) lines.push('Run the same command again and it goes on where it stopped.')
  return lines.join('\n')
}

function formatNewIds({ count: all, first }: IssuesReport['newIds']): string {
  const shown = first.map(({ line, id, newId }) => `${id} (line ${line}) is now ${newId}`).join(', ')
  return `${count(all)} under new ids, since theirs were taken: ${shown}${all > first.length ? ', …' : ''}.`
}

/** 2 where rows were rejected, 1 where the import did not come to its end. */
export function exitCode(report: IssuesReport | PlacesReport): number {
  return report.stopped ? 1 : report.rejected > 0 ? 2 : 0
}
