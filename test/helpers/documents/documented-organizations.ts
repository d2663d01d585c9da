import { readFileSync } from 'node:fs'

/** Returns the JSON example in docs/organizations.md. */
export function documentedOrganizations(): string {
  const document = readFileSync(new URL('../../../docs/organizations.md', import.meta.url), 'utf8')
  return /```json\n([\s\S]*?)```/.exec(document)?.[1] ?? ''
}
