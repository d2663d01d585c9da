import { readFileSync } from 'node:fs'

/** The file of organisations that docs/import.md shows, as text. */
export function documentedOrganizations(): string {
  const document = readFileSync(new URL('../../../docs/import.md', import.meta.url), 'utf8')
  return /```json\n([\s\S]*?)```/.exec(document)?.[1] ?? ''
}
