import { Environment } from '../../src/config.ts'

interface Variable {
  readonly name: string
  readonly isSecret: boolean
  readonly description: string
  readonly allowed: string
  readonly default: string | undefined
}

const variables: Variable[] = Object.entries(Environment.properties).map(([name, schema]) => {
  const said = schema as { description?: string; allowed?: string; default?: string | number; secret?: boolean }
  return {
    name,
    isSecret: said.secret === true,
    description: said.description ?? '',
    allowed: said.allowed ?? '',
    default: said.default?.toString(),
  }
})

/** The table that stands in README.md between `<!-- configuration -->` and `<!-- /configuration -->`. */
export function configurationTable(): string {
  const rows = variables.map(({ name, isSecret, description, allowed, default: value }) => [
    isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
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
# A secret may come from a file instead: NAME_FILE is the path of a file that holds what NAME would.
#
# docker compose reads .env by itself and sets the addresses of its servers; it also reads these:
# BIND=127.0.0.1               the address of this machine where the service is reached; 0.0.0.0 for all
# POSTGRES_PASSWORD=fixpoint   the password of its database, which only the containers reach, kept from the first start on
# POSTGRES_PASSWORD_FILE=      /run/secrets/postgis/… for a file in SECRETS/postgis; then set POSTGRES_PASSWORD to nothing
# SECRETS=./secrets            the folder of this machine that the containers see as /run/secrets
# COMPOSE_PROFILES=mailbox     starts the mailbox for trying at http://localhost:8025; with SMTP_URL=smtp://mailpit:1025`
  const blocks = variables.map(({ name, isSecret, description, allowed, default: value }) =>
    [`# ${description}`, `# Allowed: ${allowed}.`, `# ${name}=${value ?? ''}`, ...(isSecret ? [`# ${name}_FILE=`] : [])].join('\n'),
  )
  return `${[head, ...blocks].join('\n\n')}\n`
}
