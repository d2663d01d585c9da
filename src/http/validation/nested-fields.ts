import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'

export const FIELDS_MAX = 1_000
const DEPTH_MAX = 5
const NAME = /^[^[\]]+(\[[^[\]]+\])*(\[\])?$/
/** Keys that could pollute prototypes. They are ignored as in JSON. */
const IGNORED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

type Group = Record<string, unknown>

/**
 * Reads `answers[summary]=x` as a property of an object, `answers[12][]=x` as an item of a list; a number is a key and no index.
 * @throws Problem 400 for too many fields, or a name that is both a value and a group
 */
export function nestFields(fields: Iterable<readonly [string, unknown]>): Group {
  const root: Group = {}
  let count = 0
  for (const [name, value] of fields) {
    if (++count > FIELDS_MAX) throw problems.unreadableBody(text('form_too_many_fields', { max: FIELDS_MAX }))
    const keys = parseKeys(name)
    if (keys.some((key) => IGNORED_KEYS.has(key))) continue
    const isList = keys.at(-1) === ''
    const path = isList ? keys.slice(0, -1) : keys
    setField(groupAt(root, path.slice(0, -1), name), path.at(-1) ?? '', value, { isList, name })
  }
  return root
}

function parseKeys(name: string): string[] {
  if (!NAME.test(name)) return [name]
  const keys = name.replaceAll(']', '').split('[')
  return keys.length > DEPTH_MAX ? [name] : keys
}

const groups = new WeakSet<object>()
const isGroup = (value: unknown): value is Group => typeof value === 'object' && value !== null && groups.has(value)

function groupAt(root: Group, path: readonly string[], name: string): Group {
  return path.reduce<Group>((group, key) => {
    const inner = Object.hasOwn(group, key) ? group[key] : (group[key] = newGroup())
    return isGroup(inner) ? inner : refuseReusedName(name)
  }, root)
}

function newGroup(): Group {
  const group: Group = {}
  groups.add(group)
  return group
}

function setField(group: Group, key: string, value: unknown, { isList, name }: { isList: boolean; name: string }): void {
  const current = Object.hasOwn(group, key) ? group[key] : undefined
  if (isGroup(current)) refuseReusedName(name)
  if (current === undefined) group[key] = isList ? [value] : value
  else group[key] = [...(Array.isArray(current) ? (current as unknown[]) : [current]), value]
}

function refuseReusedName(name: string): never {
  throw problems.unreadableBody(text('form_name_used_twice', { name }))
}
