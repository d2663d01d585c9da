import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { type ContentChange, findItem } from '../../organizations/content.ts'
import { type RuleInput, RULES_MAX } from './schema.ts'
import { scheduleTargets } from './update-targets.ts'

const select = { id: true, request_type_id: true, acknowledge_hours: true, close_hours: true, calendar_id: true } as const

/** Returns the rule of all types first. */
export const listRules = (db: PrismaHandle, organization_id: number) =>
  db.prisma.targetRule.findMany({
    where: { organization_id },
    select,
    orderBy: [{ request_type_id: { sort: 'asc', nulls: 'first' } }, { id: 'asc' }],
  })

/** Adds a rule and returns its id. The targets of open issues follow. @throws Problem 422 that names the field */
export async function addRule(tx: Transaction, { organization_id, now }: ContentChange, input: RuleInput): Promise<number> {
  if ((await tx.prisma.targetRule.count({ where: { organization_id } })) >= RULES_MAX)
    throw problems.invalid({ base: text('too_many_target_rules', { max: RULES_MAX }) })
  const { request_type_id = null, acknowledge_hours = null, close_hours = null, calendar_id = null } = input
  const data = { organization_id, request_type_id, acknowledge_hours, close_hours, calendar_id }
  await check(tx, data)
  const { id } = await tx.prisma.targetRule.create({ data, select: { id: true } })
  await scheduleTargets(tx, organization_id, now)
  return id
}

/** Changes the fields that are present. @throws Problem 404, or 422 that names the field */
export async function changeRule(
  tx: Transaction,
  { organization_id, now }: ContentChange,
  id: number,
  input: RuleInput,
): Promise<void> {
  const data = { ...(await findItem(listRules(tx, organization_id), id, 'the_target_rule')), ...input }
  await check(tx, { organization_id, ...data })
  await tx.prisma.targetRule.update({ where: { id }, data: { ...data, updated_at: now } })
  await scheduleTargets(tx, organization_id, now)
}

/** @throws Problem 404 */
export async function deleteRule(tx: Transaction, { organization_id, now }: ContentChange, id: number): Promise<void> {
  await findItem(listRules(tx, organization_id), id, 'the_target_rule')
  await tx.prisma.targetRule.delete({ where: { id } })
  await scheduleTargets(tx, organization_id, now)
}

interface CheckedRule extends Required<RuleInput> {
  readonly organization_id: number
  readonly id?: number
}

async function check(
  tx: Transaction,
  { id = 0, organization_id, request_type_id, calendar_id, ...rule }: CheckedRule,
): Promise<void> {
  if (rule.acknowledge_hours === null && rule.close_hours === null) throw problems.invalid({ base: text('target_rule_empty') })
  if (request_type_id !== null && (await tx.prisma.requestType.count({ where: { id: request_type_id, organization_id } })) === 0)
    throw problems.invalid({ request_type_id: text('request_type_of_organization') })
  if (calendar_id !== null && (await tx.prisma.calendar.count({ where: { id: calendar_id, organization_id } })) === 0)
    throw problems.invalid({ calendar_id: text('calendar_of_organization') })
  if ((await tx.prisma.targetRule.count({ where: { organization_id, request_type_id, id: { not: id } } })) > 0)
    throw problems.invalid({ request_type_id: text('target_rule_exists') })
}
