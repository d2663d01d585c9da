import { describe, expect, it } from 'vitest'

import { findFragments, findLongSubjects, findMissingRooms, findRetiredWords, retiredWords } from '../../.ci/check-words.ts'

describe('check-words', () => {
  it.each([
    ['a word of a comment', '// Sends the frob.', ['1: "frob" is retired: write "parcel"']],
    ['a part of a name', 'const a = 1\nconst listFrobs = frobCount', ['2: "frob" is retired: write "parcel"']],
    ['the beginning of a name', 'type FrobCount = number', ['1: "frob" is retired: write "parcel"']],
    ['a part of another word', '// A frobber microfrobs.', []],
  ])('finds a retired word as %s', (_, text, found) => {
    expect(findRetiredWords(text, { frob: 'parcel' })).toEqual(found)
  })

  it('has a standard term for each retired word', () => {
    for (const [word, standard] of Object.entries(retiredWords)) {
      expect(findRetiredWords(`${word}\n${standard}`)).toEqual([`1: "${word}" is retired: write "${standard}"`])
    }
  })

  it.each([
    ['a docstring', '/** Of the server. */'],
    ['a docstring of many lines', '/**\n * Whether it is open.\n */'],
    ['a comment', 'const a = 1\n  // Nobody waits.'],
    ['SQL', '-- So many rows.'],
    ['CSS', '/* Among the buttons. */'],
    ['a shell script', '# Where Debian keeps it.'],
    ['two words', '/** Null where it is unknown. */'],
  ])('refuses a comment that begins with a fragment: %s', (_, text) => {
    expect(findFragments(text)).toEqual([expect.stringContaining('begin with a subject')])
  })

  it.each([
    ['begins with a subject', '/** Number of rows. */\n// Ofcom and Wholesale are names.\n\n// Null if it is unknown.'],
    ['goes on in a further line', '// The port on\n// Of which nothing is said.'],
    ['is code', "const text = '/** Of the server. */'\nconst url = 'http://Where'"],
  ])('accepts a text that %s', (_, text) => {
    expect(findFragments(text)).toEqual([])
  })

  it('refuses rooms that the diagram or the table of the architecture does not have', () => {
    const diagram = '```mermaid\nflowchart TB\n  subgraph base1["1"]\n    both; only-shown; app.ts\n  end\n```\nmissing'
    const table =
      '| Room | Holds |\n|---|---|\n| `both` | rows |\n| `app.ts` `only-described` | uses `missing` |\n\n| `only-shown` | no room |'

    expect(findMissingRooms(`${diagram}\n\n${table}`, ['both', 'app.ts', 'only-shown', 'only-described', 'missing'])).toEqual([
      'docs/ARCHITECTURE.md: the table of rooms does not describe only-shown',
      'docs/ARCHITECTURE.md: the diagram does not show only-described',
      'docs/ARCHITECTURE.md: the diagram does not show missing',
      'docs/ARCHITECTURE.md: the table of rooms does not describe missing',
    ])
  })

  it('refuses commit subjects of more than 72 characters', () => {
    expect(findLongSubjects(['x'.repeat(72), 'y'.repeat(73)])).toEqual([`more than 72 characters: ${'y'.repeat(73)}`])
  })
})
