import { globSync, readFileSync, writeFileSync } from 'node:fs'

import packageJson from '../package.json' with { type: 'json' }

/* `npm version` runs this after it has set the version: it dates the changes in CHANGELOG.md and names the image in deploy/. */

const HEADING = '## Unreleased\n'
const { version } = packageJson
const changelog = readFileSync('CHANGELOG.md', 'utf8')
if (!changelog.includes(HEADING)) throw new Error('CHANGELOG.md has no heading "## Unreleased".')
const date = new Date().toISOString().slice(0, 10)
writeFileSync('CHANGELOG.md', changelog.replace(HEADING, `${HEADING}\n## ${version} – ${date}\n`))
for (const file of globSync('deploy/kubernetes/*.yaml'))
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/image: fixpoint:\S+/g, `image: fixpoint:${version}`))
