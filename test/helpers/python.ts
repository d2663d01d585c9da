import { spawnSync } from 'node:child_process'

export const python = 'python3'

/** Returns true if Python is installed with the package. Importing a package to find out takes up to two seconds. */
export function hasPythonPackage(name: string): boolean {
  const script = 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)'
  return spawnSync(python, ['-c', script, name]).status === 0
}
