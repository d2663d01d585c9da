import { formatCount } from '../report.ts'

interface Tally {
  new: number
  changed: number
  unchanged: number
  /** Removed members, or request types and questions that became inactive. */
  retired: number
}

export interface OrganizationsReport {
  readonly organizations: Tally
  readonly requestTypes: Tally
  readonly questions: Tally
  readonly members: Tally
  readonly unconfirmed: string[]
  /** Receivers of forwarded updates who are no members with a confirmed address. */
  readonly missingReceivers: string[]
  readonly ignoredKeys: readonly string[]
}

const tally = (): Tally => ({ new: 0, changed: 0, unchanged: 0, retired: 0 })

export const emptyReport = (ignoredKeys: readonly string[]): OrganizationsReport => ({
  ...{ organizations: tally(), requestTypes: tally(), questions: tally(), members: tally() },
  unconfirmed: [],
  missingReceivers: [],
  ignoredKeys,
})

const SHOWN_MAX = 20

export function formatOrganizationsSummary(report: OrganizationsReport, ms: number): string {
  const unconfirmed = [...new Set(report.unconfirmed)]
  const shown = unconfirmed.slice(0, SHOWN_MAX).join(', ')
  return [
    `Done in ${(ms / 1000).toFixed(1)} s.`,
    `Organizations: ${formatTally(report.organizations)}.`,
    `Request types: ${formatTally(report.requestTypes, 'retired')}.`,
    `Questions: ${formatTally(report.questions, 'retired')}.`,
    `Members: ${formatTally(report.members, 'removed')}.`,
    unconfirmed.length === 0
      ? undefined
      : `These members get access when they confirm their e-mail addresses: ${shown}${unconfirmed.length > SHOWN_MAX ? ', …' : ''}.`,
    report.missingReceivers.length === 0
      ? undefined
      : `No updates are received until these receivers are members with a confirmed e-mail address: ${report.missingReceivers.join(', ')}.`,
    report.ignoredKeys.length === 0 ? undefined : `Unknown keys were ignored: ${report.ignoredKeys.join(', ')}.`,
  ]
    .filter((line) => line !== undefined)
    .join('\n')
}

function formatTally(tally: Tally, retired?: 'retired' | 'removed'): string {
  const parts = [
    `${formatCount(tally.new)} new`,
    `${formatCount(tally.changed)} changed`,
    `${formatCount(tally.unchanged)} unchanged`,
  ]
  return [...parts, ...(retired ? [`${formatCount(tally.retired)} ${retired}`] : [])].join(', ')
}
