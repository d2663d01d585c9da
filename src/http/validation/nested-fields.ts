import { problems } from '../../errors/problems.ts'

export const FIELDS_MAX = 1_000
const DEPTH_MAX = 5
/** `name`, then any number of `[key]`, the last of which may be empty. */
const NAME = /^[^[\]]+(\[[^[\]]+\])*(\[\])?$/
/** Never names of fields: they are ignored as in JSON. In multipart bodies the parser refuses those of `Object.prototype` itself, with 400. */
const NOT_FIELDS = new Set(['__proto__', 'constructor', 'prototype'])

type Group = Record<string, unknown>

/**
 * The fields of a form as the object that they describe: `answers[summary]=x` is a field in a group, `answers[12][]=x` one of a
 * list. A number in brackets is a key as any other: it is the id of a question and no position in a list. A name that is given more
 * than once is a list, too, so that a schema that wants one value can refuse it.
 * @throws Problem 400 for too many fields, or a name that is a value and a group at once
 */
export function nestFields(fields: Iterable<readonly [string, unknown]>): Group {
  const root: Group = {}
  let count = 0
  for (const [name, value] of fields) {
    if (++count > FIELDS_MAX) throw problems.unreadableBody(`The form has more than ${FIELDS_MAX} fields.`)
    const keys = keysOf(name)
    if (keys.some((key) => NOT_FIELDS.has(key))) continue
    const isList = keys.at(-1) === ''
    const path = isList ? keys.slice(0, -1) : keys
    put(groupAt(root, path.slice(0, -1), name), path.at(-1) ?? '', value, { isList, name })
  }
  return root
}

/** A name that is not written like this, or too deep, is a field as it stands. */
function keysOf(name: string): string[] {
  if (!NAME.test(name)) return [name]
  const keys = name.replaceAll(']', '').split('[')
  return keys.length > DEPTH_MAX ? [name] : keys
}

/** Objects that were made here, as against values, which may be files. */
const groups = new WeakSet<object>()
const isGroup = (value: unknown): value is Group => typeof value === 'object' && value !== null && groups.has(value)

function groupAt(root: Group, path: readonly string[], name: string): Group {
  return path.reduce<Group>((group, key) => {
    const inner = Object.hasOwn(group, key) ? group[key] : (group[key] = newGroup())
    return isGroup(inner) ? inner : refuseBoth(name)
  }, root)
}

function newGroup(): Group {
  const group: Group = {}
  groups.add(group)
  return group
}

function put(group: Group, key: string, value: unknown, { isList, name }: { isList: boolean; name: string }): void {
  const present = Object.hasOwn(group, key) ? group[key] : undefined
  if (isGroup(present)) refuseBoth(name)
  if (present === undefined) group[key] = isList ? [value] : value
  else group[key] = [...(Array.isArray(present) ? (present as unknown[]) : [present]), value]
}

function refuseBoth(name: string): never {
  throw problems.unreadableBody(`The form gives a value and a group of the same name: ${name}.`)
}
