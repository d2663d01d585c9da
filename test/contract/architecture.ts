import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'

/** The imports of each source file, types included, as paths from the root of the project. */
export type Imports = Map<string, string[]>

export function readImports(): Imports {
  const files = globSync(['src/**/*.ts', 'jobs/**/*.ts', 'prisma/{seed.ts,seeds/**/*.ts}'], { cwd: root }).sort()
  return new Map(files.map((file) => [file, listImports(file)]))
}

const root = join(import.meta.dirname, '..', '..')

function listImports(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true)
  const relative = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'))
  return relative.map((name) => join(dirname(file), name)).filter((path) => path.endsWith('.ts') && !path.includes('generated'))
}

export function readLengths(): Map<string, number> {
  const files = globSync('{src,jobs,prisma,test}/**/*.ts', { cwd: root, exclude: ['prisma/generated/**'] })
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length]))
}

export function findTooLong(lengths: ReadonlyMap<string, number>): string[] {
  const files = [...lengths].filter(([, lines]) => lines > LINES_MAX)
  return files.map(([file]) => `more than ${LINES_MAX} lines: ${file}`)
}

/** The content of docs/ARCHITECTURE.md: the floor of each room, the features, and their allowed pairs. */
export interface Plan {
  floors: Map<string, number>
  features: Set<string>
  /** The arrows of the diagram between subgraphs, whose names end with their floor. */
  arrows: (readonly [from: string, to: string])[]
  subgraphs: string[]
  /** Files that may be imported in addition to `queries`, `schema` and `present`, by "user → used". */
  pairs: Map<string, string[]>
}

export function readPlan(document = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')): Plan {
  const plan: Plan = { floors: new Map(), features: new Set(), arrows: [], subgraphs: [], pairs: new Map() }
  for (const [, kind, floor, rooms] of document.matchAll(/subgraph (\w+?)(\d+)\[.*\]\n([^]*?)\bend\b/g)) {
    plan.subgraphs.push(`${kind}${floor}`)
    for (const room of rooms?.match(/[\w.-]+/g) ?? []) {
      plan.floors.set(room, Number(floor))
      if (kind === 'features') plan.features.add(room)
    }
  }
  for (const [line] of document.matchAll(/^.* --> .*$/gm)) {
    const ends = line.split('-->').map((end) => end.split('&').map((name) => name.trim()))
    plan.arrows.push(...ends.slice(1).flatMap((lower, n) => ends[n]!.flatMap((from) => lower.map((to) => [from, to] as const))))
  }
  for (const [, user, usedRooms, reason] of document.matchAll(/^\| ([\w-]+) → ([\w, -]+) \| (.*) \|$/gm)) {
    const files = reason?.match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? []
    for (const used of usedRooms?.split(', ') ?? []) plan.pairs.set(`${user} → ${used}`, files)
  }
  return plan
}

const roomName = (file: string) => (file.startsWith('src/') ? file.split('/')[1]! : file.split('/')[0]!)

const ROOT_FILES = ['server.ts', 'app.ts', 'services.ts', 'config.ts']
const PUBLIC_FILES = ['queries.ts', 'schema.ts', 'present.ts']
const FLOORS_MAX = 12
const LINES_MAX = 300

/** Returns a message for each violation of the rules of docs/ARCHITECTURE.md. */
export function findViolations(imports: Imports, plan: Plan): string[] {
  const files = [...imports.keys()]
  const rooms = new Set(files.map(roomName))
  const floors = new Set(plan.floors.values())
  const arrows = [...imports].flatMap(([file, used]) => used.map((to) => [file, to] as const))
  const used = new Set<string>()
  const violations = [
    ...findCycles(imports).map((cycle) => `cycle of files: ${cycle.join(', ')}`),
    ...findCycles(groupByFolder(arrows)).map((cycle) => `cycle of folders: ${cycle.join(', ')}`),
    ...[...plan.floors.keys()].filter((room) => !rooms.has(room)).map((room) => `in the diagram, but no folder: ${room}`),
    ...files
      .filter((file) => dirname(file) === 'src' && !ROOT_FILES.includes(basename(file)))
      .map((file) => `outside all rooms: ${file}`),
    ...findWrongArrows(plan),
    ...(floors.size > FLOORS_MAX ? [`more than ${FLOORS_MAX} floors: ${floors.size}`] : []),
  ]
  for (const [file, to] of arrows) {
    const [from, room] = [roomName(file), roomName(to)]
    if (from === room) continue
    const pair = `${from} → ${room}`
    used.add(pair)
    if ((plan.floors.get(from) ?? 99) <= (plan.floors.get(room) ?? 0)) violations.push(`not to a lower floor: ${pair}`)
    if (room === 'prisma' && from !== 'server.ts') violations.push(`imports seeds: ${file}`)
    if (to.endsWith('routes.ts') && !['app.ts', 'server.ts'].includes(from)) violations.push(`imports routes: ${file} → ${to}`)
    if (!plan.features.has(from) || !plan.features.has(room)) continue
    const publicFiles = plan.pairs.get(pair)
    const inside = to.replace(`src/${room}/`, '')
    if (!publicFiles) violations.push(`pair not listed: ${pair}`)
    else if (!PUBLIC_FILES.includes(inside) && !publicFiles.includes(inside))
      violations.push(`imports a private file: ${pair}/${inside}`)
  }
  violations.push(...[...plan.pairs.keys()].filter((pair) => !used.has(pair)).map((pair) => `listed pair without import: ${pair}`))
  return [...new Set(violations)].sort()
}

/** Each arrow of the diagram must lead to a lower floor, and each subgraph except the lowest must have one. */
function findWrongArrows({ arrows, subgraphs }: Plan): string[] {
  const floorOf = (subgraph: string) => Number(/\d+$/.exec(subgraph)?.[0])
  const lowest = Math.min(...subgraphs.map(floorOf))
  const origins = new Set(arrows.map(([from]) => from))
  return [
    ...arrows
      .filter(([from, to]) => !(floorOf(from) > floorOf(to)))
      .map((arrow) => `arrow not to a lower floor: ${arrow.join(' → ')}`),
    ...arrows
      .flat()
      .filter((name) => !subgraphs.includes(name))
      .map((name) => `arrow at an unknown subgraph: ${name}`),
    ...subgraphs.filter((name) => floorOf(name) > lowest && !origins.has(name)).map((name) => `subgraph without arrow: ${name}`),
  ]
}

/** A file directly in `src` counts as a folder. */
const folderName = (file: string) => (dirname(file) === 'src' ? file : dirname(file))

function groupByFolder(arrows: (readonly [string, string])[]): Imports {
  const between = arrows.map(([from, to]) => [folderName(from), folderName(to)] as const).filter(([from, to]) => from !== to)
  const folders = Map.groupBy(between, ([from]) => from)
  return new Map([...folders].map(([folder, pairs]) => [folder, pairs.map(([, to]) => to)]))
}

/** The strongly connected components of more than one file (Tarjan 1972). */
function findCycles(graph: Imports): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const stack: string[] = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    stack.push(node)
    let lowest = index
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next)!)
    }
    if (lowest === index) found.push(stack.splice(stack.indexOf(node)))
    return lowest
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found.filter((cycle) => cycle.length > 1).map((cycle) => cycle.sort())
}
