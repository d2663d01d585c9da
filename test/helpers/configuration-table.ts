import { Environment } from '../../src/config.ts'

interface Variable {
  readonly name: string
  readonly description: string
  readonly allowed: string
  readonly default: string | undefined
}

const variables: Variable[] = Object.entries(Environment.properties).map(([name, schema]) => {
  const said = schema as { description?: string; allowed?: string; default?: string | number }
  return { name, description: said.description ?? '', allowed: said.allowed ?? '', default: said.default?.toString() }
})

/** The table that stands in README.md between `<!-- configuration -->` and `<!-- /configuration -->`. */
export function configurationTable(): string {
  const rows = variables.map(({ name, description, allowed, default: value }) => [
    `\`${name}\``,
    description,
    allowed,
    value === undefined ? '' : `\`${value}\``,
  ])
  const lines = [['Variable', 'What it says', 'Allowed', 'Default'], ['---', '---', '---', '---'], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('  |', ' |')).join('\n')
}

/** The whole of .env.example: every variable, commented out, so that the copy changes nothing until a line is. */
export function envExample(): string {
  const head = `# What Fixpoint reads from its environment. All of it may be left out: then everything runs in one process on the embedded
# database. Copy this file to .env, take the # from the lines that you need, and start with
#   npx node --env-file=.env src/server.ts
# docker compose reads .env by itself; it needs POSTGRES_PASSWORD and PUBLIC_URL there and sets the addresses of the servers.
# POSTGRES_PASSWORD=`
  const blocks = variables.map(({ name, description, allowed, default: value }) =>
    [`# ${description}`, `# Allowed: ${allowed}.`, `# ${name}=${value ?? ''}`].join('\n'),
  )
  return `${[head, ...blocks].join('\n\n')}\n`
}
