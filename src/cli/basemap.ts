import { parseArguments } from '../basemap/arguments.ts'
import { forgetBaseMap, keepExtract, keepFile, keepStyle, describeBaseMap } from '../basemap/keep-base-map.ts'
import { readConfig } from '../config.ts'
import { runCommand } from '../process/run-command.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function setBaseMap(): Promise<void> {
  const request = parseArguments(process.argv.slice(2))
  const { dataDir } = readConfig(process.env, { requirePublicUrl: false })
  const status = () => describeBaseMap(readConfig(process.env, { requirePublicUrl: false }), process.env)
  if (request.kind === 'status') return say(await status())
  if (request.kind === 'none') await forgetBaseMap(dataDir)
  else if (request.kind === 'style') await keepStyle(dataDir, request.url)
  else if (request.kind === 'file') await keepFile(dataDir, request.path, say)
  else await keepExtract(dataDir, request, say)
  say(`${await status()}\nRestart the service to use it.`)
}

await runCommand(new URL('./help/basemap.txt', import.meta.url), setBaseMap)
