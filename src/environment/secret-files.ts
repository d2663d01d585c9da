import { readFileSync, statSync } from 'node:fs'

const BYTES_MAX = 64 * 1024

type Variables = Readonly<Record<string, string | undefined>>

interface ResolvedSecrets {
  readonly env: Variables
  readonly fromFiles: ReadonlySet<string>
  readonly errors: readonly string[]
}

/**
 * Reads `NAME_FILE` for each variable whose schema says `secret`, as Docker and Kubernetes mount secrets. A line break at the end
 * of the file is removed. Blank variables count as not set.
 */
export function readSecretFiles(env: Variables, schemas: Readonly<Record<string, object>>): ResolvedSecrets {
  const names = Object.keys(schemas).filter((name) => 'secret' in (schemas[name] ?? {}))
  const values: Record<string, string> = {}
  const errors: string[] = []
  for (const name of names) {
    const path = env[`${name}_FILE`]?.trim()
    if (!path) continue
    const read = isSet(env[name]) ? `and ${name} are both set: remove one of them` : readSecret(path)
    if (typeof read === 'string') errors.push(`${name}_FILE ${read}`)
    else values[name] = read.value
  }
  return { env: { ...env, ...values }, fromFiles: new Set(Object.keys(values)), errors }
}

const isSet = (text: string | undefined) => text !== undefined && text.trim() !== ''

/** Error messages contain neither the path nor the content. */
function readSecret(path: string): { readonly value: string } | string {
  try {
    const file = statSync(path)
    if (!file.isFile() || file.size > BYTES_MAX) return `must name a file of at most ${BYTES_MAX / 1024} KiB`
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    return isSet(value) ? { value } : 'names an empty file'
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`
  }
}
