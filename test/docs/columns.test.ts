import type { TObject } from 'typebox'
import { describe, expect, it } from 'vitest'

import { HistoryProperties } from '../../src/issues/records/history-schema.ts'
import { IssueProperties } from '../../src/issues/records/schema.ts'
import { PlaceProperties } from '../../src/places/records/schema.ts'
import { sectionOf } from './commands.ts'

/** Returns the names in the first column of the table whose heading is `Column of …`. */
function namesIn(heading: string): readonly string[] {
  const [, table = ''] = sectionOf('docs/gis.md', 'Columns').split(`| ${heading} | Meaning |\n|---|---|\n`)
  const [rows = ''] = table.split('\n\n')
  const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

describe('the tables of columns in docs/gis.md', () => {
  it.each<[string, TObject]>([
    ['Column of an issue', IssueProperties],
    ['Column of a place', PlaceProperties],
    ['Column of a change', HistoryProperties],
  ])('name every column once: %s', (heading, { properties }) => {
    expect([...namesIn(heading)].sort()).toEqual(Object.keys(properties).sort())
  })
})
