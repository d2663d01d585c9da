import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { findReviewReasons } from '../../src/content-policy/policy.ts'
import { describeWithSharedData, sharedFile } from './shared-data.ts'

const now = new Date('2026-11-20T12:00:00Z')

/** Returns the reasons to review a report with this summary from an account that is an hour old. */
const reasonsFor = (summary: string) =>
  findReviewReasons({
    texts: ['fine', summary],
    locale: 'en',
    authorCreatedAt: new Date(now.getTime() - 3_600_000),
    now,
    duplicateCount: 0,
    organizationReviewsAll: false,
  })

describeWithSharedData('content policy for the reports of Atlanta', () => {
  const rows: { summary: string }[] = parse(readFileSync(sharedFile('atlanta-issues.csv')), {
    columns: true,
    relax_column_count: true,
  })

  it('accepts all 6,161 real reports', () => {
    expect(rows.length).toBe(6161)
    expect(rows.filter(({ summary }) => reasonsFor(summary).length > 0)).toEqual([])
  })

  it('accepts them without blanks between sentences, except one that looks like a domain', () => {
    const hasty = rows.flatMap(({ summary }) => [summary.replaceAll(/([.,!?]) +/g, '.'), `Since May.${summary}`])

    expect(hasty.filter((text) => reasonsFor(text).length > 0)).toEqual(['Since May.Top Layer of road removed'])
  })
})
