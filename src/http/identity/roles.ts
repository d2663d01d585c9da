/** Roles of members of an organisation. Each is a preset of capabilities. */
export const memberRoles = ['employee', 'moderator', 'manager', 'owner'] as const
export type MemberRole = (typeof memberRoles)[number]

/** The complete list of capabilities, each with the roles that have it. Admins have all of them in every organisation. */
const rolesByCapability = {
  /** Private answers, contact data, notes, the log, priorities and targets of the organisation's issues. */
  read_issues: ['employee', 'moderator', 'manager', 'owner'],
  /** Acknowledge, close, assign, change type, priority and target, transfer, merge, bulk runs. */
  work_on_issues: ['employee', 'manager', 'owner'],
  /** Decide on held content and redact pictures. */
  moderate: ['moderator', 'manager', 'owner'],
  report_for_caller: ['employee', 'manager', 'owner'],
  /** Templates, target rules, calendars, shared views, request types and questions. */
  manage_content: ['manager', 'owner'],
  /** Members of all roles but owner. */
  manage_members: ['manager', 'owner'],
  /** All members, the area, settings, forwarding and statistics of persons. */
  manage_organization: ['owner'],
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>

export type Capability = keyof typeof rolesByCapability
export const capabilities = Object.keys(rolesByCapability) as Capability[]

export const rolesWith = (capability: Capability): readonly MemberRole[] => rolesByCapability[capability]

export const capabilitiesOf = (role: MemberRole): Capability[] =>
  capabilities.filter((capability) => rolesWith(capability).includes(role))
