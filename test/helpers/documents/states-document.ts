import { type Transition, transitions } from '../../../src/issue-lifecycle/transitions.ts'

const trigger = ({ by }: Transition) => ('move' in by ? `\`POST /issues/:id/${by.move}\`` : 'time')
const condition = ({ from, by }: Transition) => {
  if (!('move' in by)) return `${by.days} days in ${from}`
  return by.needs === 'employee' ? 'an employee who acts for the issue, with a comment' : 'any user, with a comment'
}
const label = ({ by }: Transition) => {
  if (!('move' in by)) return `after ${by.days} days`
  return by.needs === 'employee' ? `${by.move} (employee)` : by.move
}

/** What stands in docs/STATES.md between `<!-- states -->` and `<!-- /states -->`: a diagram (Mermaid) and a table, made from the rules. */
export function statesDocument(): string {
  const lines = transitions.map((one) => `    ${one.from} --> ${one.to}: ${label(one)}`)
  const rows = transitions.map((one) => `| ${one.from} | ${trigger(one)} | ${condition(one)} | ${one.to} |`)
  return [
    ...['```mermaid', 'stateDiagram-v2', '    [*] --> Open: POST /issues', ...lines, '    Archived --> [*]', '```', ''],
    ...['| From | Trigger | Condition | To |', '| --- | --- | --- | --- |', ...rows],
  ].join('\n')
}
