import { type Transition, transitions } from '../../../src/issue-lifecycle/transitions.ts'

const describeTrigger = ({ trigger }: Transition) =>
  'transition' in trigger ? `\`POST /issues/:id/${trigger.transition}\`` : 'time'
const condition = ({ from, trigger }: Transition) => {
  if (!('transition' in trigger)) return `${trigger.days} days in ${from}`
  return trigger.role === 'employee' ? 'an employee who acts for the issue, with a comment' : 'any user, with a comment'
}
const label = ({ trigger }: Transition) => {
  if (!('transition' in trigger)) return `after ${trigger.days} days`
  return trigger.role === 'employee' ? `${trigger.transition} (employee)` : trigger.transition
}

/** Returns the text between `<!-- states -->` and `<!-- /states -->` in docs/STATES.md: a Mermaid diagram and a table, both derived from the rules. */
export function statesDocument(): string {
  const lines = transitions.map((one) => `    ${one.from} --> ${one.to}: ${label(one)}`)
  const rows = transitions.map((one) => `| ${one.from} | ${describeTrigger(one)} | ${condition(one)} | ${one.to} |`)
  return [
    ...['```mermaid', 'stateDiagram-v2', '    [*] --> Open: POST /issues', ...lines, '    Archived --> [*]', '```', ''],
    ...['| From | Trigger | Condition | To |', '| --- | --- | --- | --- |', ...rows],
  ].join('\n')
}
