import { count } from '../progress.ts'

export interface Tally {
  new: number
  changed: number
  unchanged: number
  /** No longer in the file: a request type or a question is asked no more, a member is none. */
  retired: number
}

/** The result of an import of organisations. */
export interface OrganizationsReport {
  readonly organizations: Tally
  readonly requestTypes: Tally
  readonly questions: Tally
  readonly members: Tally
  /** Addresses of members that nobody has confirmed, in small letters. */
  readonly waiting: string[]
  readonly ignoredKeys: readonly string[]
}

const tally = (): Tally => ({ new: 0, changed: 0, unchanged: 0, retired: 0 })

export const emptyReport = (ignoredKeys: readonly string[]): OrganizationsReport => ({
  ...{ organizations: tally(), requestTypes: tally(), questions: tally(), members: tally() },
  waiting: [],
  ignoredKeys,
})

const SHOWN_MAX = 20

/** The report in lines for a person. */
export function organizationsSummary(report: OrganizationsReport, ms: number): string {
  const waiting = [...new Set(report.waiting)]
  const shown = waiting.slice(0, SHOWN_MAX).join(', ')
  return [
    `Done in ${(ms / 1000).toFixed(1)} s.`,
    `Organizations: ${formatTally(report.organizations)}.`,
    `Request types: ${formatTally(report.requestTypes, 'retired')}.`,
    `Questions: ${formatTally(report.questions, 'retired')}.`,
    `Members: ${formatTally(report.members, 'removed')}.`,
    waiting.length === 0
      ? undefined
      : `These addresses give nothing to anybody until their owners confirm them: ${shown}${waiting.length > SHOWN_MAX ? ', …' : ''}.`,
    report.ignoredKeys.length === 0 ? undefined : `Ignored, since nothing is known of them: ${report.ignoredKeys.join(', ')}.`,
  ]
    .filter((line) => line !== undefined)
    .join('\n')
}

function formatTally(tally: Tally, retired?: 'retired' | 'removed'): string {
  const parts = [`${count(tally.new)} new`, `${count(tally.changed)} changed`, `${count(tally.unchanged)} unchanged`]
  return [...parts, ...(retired ? [`${count(tally.retired)} ${retired}`] : [])].join(', ')
}
