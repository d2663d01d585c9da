/** Parses the text format 0.0.4 strictly: https://prometheus.io/docs/instrumenting/exposition_formats/ */
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"'
const VALUE = '(?:[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?|[+-]Inf|NaN|Nan)'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*),?\\})? (${VALUE})$`)
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)

export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  /** Keys are names with labels, such as `fixpoint_queue_jobs{queue="mails",state="active"}`. */
  readonly samples: ReadonlyMap<string, number>
}

/** @throws Error at the first line that is malformed, has no declared metric or occurs twice */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind, metric = '', rest = ''] = HEAD.exec(line) ?? []
    if (kind === 'TYPE' && types.has(metric)) throw new Error(`${metric} is declared twice`)
    if (kind === 'TYPE') types.set(metric, rest)
    if (kind) continue
    const [, name = '', labels, value] = SAMPLE.exec(line) ?? []
    if (value === undefined) throw new Error(`This is no sample: ${line}`)
    const family = [name, name.replace(/_(bucket|sum|count)$/, '')].find((candidate) => types.has(candidate))
    if (family === undefined) throw new Error(`${name} is not declared before its sample`)
    const key = labels === undefined ? name : `${name}{${labels}}`
    if (samples.has(key)) throw new Error(`${key} occurs twice`)
    samples.set(key, Number(value.replace('Inf', 'Infinity')))
  }
  return { types, samples }
}
