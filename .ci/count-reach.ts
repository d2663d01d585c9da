import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { argv, stdout } from 'node:process'

/*
 * Prints the files that a file reaches by imports of values, with their lines: `node .ci/count-reach.ts src/issues/api/list-routes.ts`. Imports of types do not
 * count. With `--sql` it prints only the files that have SQL.
 */

const importPattern = /^(?:import|export)\s+(type\s)?([^'"]*?)\s*(?:from\s+)?'(\.[^']*\.ts)'/gm

/** Returns whether an import has at least one value. */
const importsValue = (isType: string | undefined, names: string): boolean =>
  isType === undefined && !/^\{(\s*type\s[^,}]*,?)+\s*\}$/.test(names)

function findReached(start: string): ReadonlyMap<string, string> {
  const reached = new Map<string, string>()
  const waiting = [resolve(start)]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    const text = readFileSync(file, 'utf8')
    reached.set(file, text)
    for (const [, isType, names = '', path = ''] of text.matchAll(importPattern))
      if (importsValue(isType, names)) waiting.push(resolve(dirname(file), path))
  }
  return reached
}

const [start = 'src/issues/api/list-routes.ts', option] = argv.slice(2)
const counted = [...findReached(start)]
  .filter(([file, text]) => !file.includes('/generated/') && (option !== '--sql' || /\bsql`/.test(text)))
  .map(([file, text]) => ({ file: relative('.', file), lines: text.split('\n').length - 1 }))
for (const { file, lines } of counted.toSorted((a, b) => a.file.localeCompare(b.file)))
  stdout.write(`${String(lines).padStart(5)} ${file}\n`)
stdout.write(`${counted.length} files, ${counted.reduce((sum, { lines }) => sum + lines, 0)} lines\n`)
