import { Value } from 'typebox/value'

import type { Text } from '../../locales/texts.ts'
import type { Queryable, Sql } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { parseConditions } from '../../gis/filter.ts'
import { ConditionQuery } from '../../gis/query.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { mustBe, type Parameters, readList } from '../input/parameters.ts'

export const conditionLists = ['category', 'organization_id']
export const conditionNames = Object.keys(ConditionQuery.properties)
const ITEMS_MAX = 100

/**
 * Returns the conditions that the other interfaces of data have, too, as one predicate over issue `i`; undefined without any.
 * @throws Problem 422 for an invalid value, organisations that do not exist, or a too expensive CQL2 filter
 */
export function readCondition(
  parameters: Parameters,
  sources: { readonly reader: Queryable; readonly areas: AreaLookup },
  filter: IssueFilter,
): Promise<Sql | undefined> {
  const present = Object.entries(ConditionQuery.properties).filter(([name]) => parameters.has(name))
  const values = present.map(([name, schema]) => {
    const allowed = (schema as unknown as { readonly 'x-allowed': Text })['x-allowed']
    const value = conditionLists.includes(name) ? readList(parameters, name, { max: ITEMS_MAX, allowed }) : parameters.get(name)
    if (!Value.Check(schema, value)) throw mustBe(name, allowed)
    return [name, value] as const
  })
  return parseConditions(sources, Value.Parse(ConditionQuery, Object.fromEntries(values)), filter)
}
