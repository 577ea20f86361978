// The two ways in which the program starts in a workspace: as `npm ci` leaves it, and where its sources have changed since.
import { join } from "node:path"
import { bundlesFolder, findProgram, workspace } from "../../packages/cli/bin/find-program.js"
import { renewBundle } from "../../tools/bundle/renew-bundle.ts"
import { warmUp } from "../../tools/bundle/warm-up.ts"

/** What Node is given to run it. */
export interface BenchProgram {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** As `npm ci` leaves it: made anew where somebody has edited since. */
export async function installed(): Promise<BenchProgram> {
  if (findProgram().kind !== "bundle") await renewBundle(bundlesFolder, workspace, warm)
  const { file, kind } = findProgram()
  if (kind !== "bundle") throw new Error("a source was edited while the bundle was made: run the bench again")
  return { args: [file], environment: {} }
}

async function warm(folder: string): Promise<void> {
  const failure = await warmUp(folder)
  if (failure !== undefined) throw new Error(`what was compiled could not be kept: ${failure}`)
}

/** As without it, with compiled code kept in a folder. */
export function fromSources(compileCache: string): BenchProgram {
  const main = join(workspace, "packages/cli/src/main.ts")
  const args = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", main]
  return { args, environment: { NODE_COMPILE_CACHE: compileCache } }
}
