import { describe, expect, it } from 'vitest'

import {
  findBadSubjects,
  findDisabledRules,
  findFragments,
  findMissingRooms,
  findRetiredPaths,
  findRetiredWords,
  retiredWords,
} from '../../.ci/check-words.ts'

describe('check-words', () => {
  it.each([
    ['a word of a comment', '// Sends the frob.', ['1: "frob" is retired: write "parcel"']],
    ['a part of a name', 'const a = 1\nconst listFrobs = frobCount', ['2: "frob" is retired: write "parcel"']],
    ['the beginning of a name', 'type FrobCount = number', ['1: "frob" is retired: write "parcel"']],
    ['a part of another word', '// A frobber microfrobs.', []],
    ['a capitalized word', 'class Blurb {}\n// A blurb.\nconst isBlurb = true', ['1: "Blurb" is retired: write "text"']],
  ])('finds a retired word as %s', (_, text, found) => {
    expect(findRetiredWords(text, { frob: 'parcel', Blurb: 'text' })).toEqual(found)
  })

  it('finds retired words in the names of files and folders', () => {
    const paths = ['src/old-frobs/send.ts', 'src/frob-queue.ts', 'test/frobber.ts']

    expect(findRetiredPaths(paths, { frobs: 'parcels', frobQueue: 'parcel queue' })).toEqual([
      'src/old-frobs/send.ts:1: "frobs" is retired: write "parcels"',
      'src/frob-queue.ts:1: "frobQueue" is retired: write "parcel queue"',
    ])
  })

  it('has a standard term for each retired word', () => {
    for (const [word, standard] of Object.entries(retiredWords)) {
      expect(findRetiredWords(`${word}\n${standard}`)).toEqual([`1: "${word}" is retired: write "${standard}"`])
    }
  })

  it.each([
    ['a docstring', '/** Of the server. */'],
    ['a docstring of many lines', '/**\n * Whether it is open.\n */'],
    ['a comment', 'const a = 1\n  // None waits.'],
    ['SQL', '-- So many rows.'],
    ['CSS', '/* Among the buttons. */'],
    ['a shell script', '# Where Debian keeps it.'],
    ['two words', '/** Null where it is unknown. */'],
    ['three words', '/** In the order of the columns. */'],
    ['a condition', '/** Undefined for features. */'],
    ['a participle', '/** Called when it ends. */'],
    ['a participle before a preposition', '/** Shown after a form was saved. */'],
    ['a participle before a condition', '/** Empty unless the viewer works there. */'],
    ['an adverb', '// Far above the need.'],
    ['a verb', '-- Includes the time.'],
    ['an adjective', '-- Counters without Redis.\n\n-- Unlogged, because a crash loses little.'],
    ['a word and a comma', '-- Text, because the types change.'],
  ])('refuses a comment that begins with a fragment: %s', (_, text) => {
    expect(findFragments(text)).toEqual([expect.stringContaining('begin with a subject')])
  })

  it.each([
    ['begins with a subject', '/** Number of rows. */\n// Ofcom and Wholesale are names.\n\n// Null if it is unknown.'],
    [
      'begins with a similar word',
      '/** Undefined removes a member. */\n\n// Set members are names.\n\n// In OGC API, names differ.\n\n/** Text is compressed. */',
    ],
    ['goes on in a further line', '// The port on\n// Of which nothing is said.'],
    ['is code', "const text = '/** Of the server. */'\nconst url = 'http://Where'"],
  ])('accepts a text that %s', (_, text) => {
    expect(findFragments(text)).toEqual([])
  })

  it.each(['eslint', 'oxlint'])('refuses comments of %s that disable rules', (tool) => {
    const text = `const a = 1\nvoid a // ${tool}-disable-line\n/* ${tool}-disable */\n// ${tool}-disable-next-line no-console`

    expect(findDisabledRules(text)).toEqual([2, 3, 4].map((line) => `${line}: a comment disables rules`))
    expect(findDisabledRules(`// https://${tool}.org disables nothing.`)).toEqual([])
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

  it('refuses commit subjects that are no Conventional Commits or have more than 72 characters', () => {
    const long = `fix: ${'y'.repeat(68)}`

    expect(findBadSubjects([`fix: ${'x'.repeat(67)}`, 'feat(tiles)!: serve clusters', 'x', 'fix:', long])).toEqual([
      'not a Conventional Commit: x',
      'not a Conventional Commit: fix:',
      `more than 72 characters: ${long}`,
    ])
  })
})
