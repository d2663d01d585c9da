import { Environment } from '../../../src/environment/variables.ts'

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

/** Returns the table of docs/configuration.md between `<!-- configuration -->` and `<!-- /configuration -->`. */
export function configurationTable(): string {
  const rows = variables.map(({ name, isSecret, description, allowed, default: value }) => [
    isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
    description,
    allowed,
    value === undefined ? '' : `\`${value}\``,
  ])
  const lines = [['Variable', 'Meaning', 'Allowed values', 'Default'], ['---', '---', '---', '---'], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('  |', ' |')).join('\n')
}

/** Returns the text of .env.example. Every variable is commented out, so that a copy changes nothing. */
export function envExample(): string {
  const head = `# All settings of Fixpoint (docs/configuration.md). All are optional: without any, everything runs in one process on the embedded
# database. Copy this file to .env, remove the # from the lines that you need, and start with
#   npx node --env-file=.env src/server.ts
# A secret can be read from a file: NAME_FILE is the path of a file that contains the value of NAME.
#
# docker compose reads .env and sets the addresses of its servers. It also reads these:
# BIND=127.0.0.1               the address of this machine on which the service is reachable; 0.0.0.0 for all
# POSTGRES_PASSWORD=fixpoint   the password of its database, stored at the first start; only the containers reach it
# POSTGRES_PASSWORD_FILE=      /run/secrets/postgis/… for a file in SECRETS/postgis; set POSTGRES_PASSWORD to nothing
# SECRETS=./secrets            the folder of this machine that is /run/secrets in the containers
# COMPOSE_PROFILES=mailbox     starts a mailbox for tests at http://localhost:8025; with SMTP_URL=smtp://mailpit:1025`
  const blocks = variables.map(({ name, isSecret, description, allowed, default: value }) =>
    [`# ${description}`, `# Allowed: ${allowed}.`, `# ${name}=${value ?? ''}`, ...(isSecret ? [`# ${name}_FILE=`] : [])].join('\n'),
  )
  return `${[head, ...blocks].join('\n\n')}\n`
}
