// The two ways in which the program starts in a workspace: as `npm ci` leaves it, and where its sources have changed since.
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundlesFolder, findProgram, workspace } from "../../packages/cli/bin/find-program.js"
import { renewBundle } from "../../tools/bundle/renew-bundle.ts"

/** What Node is given to run it. */
export interface BenchProgram {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** As `npm ci` leaves it: built again where a source has changed since. */
export async function installed(): Promise<BenchProgram> {
  if (findProgram().kind !== "bundle") await renewBundle(bundlesFolder, workspace)
  const { file, kind } = findProgram()
  if (kind !== "bundle") throw new Error("a source was edited while the bundle was made: run the bench again")
  return { args: [file], environment: {} }
}

/** As before its first start: what V8 compiled in others is removed. */
export function neverStarted(program: BenchProgram): BenchProgram {
  rmSync(join(dirname(program.args[0]!), "compiled"), { recursive: true, force: true })
  return program
}

/** As without it, with compiled code kept in a folder. */
export function fromSources(compileCache: string): BenchProgram {
  const main = join(workspace, "packages/cli/src/main.ts")
  const args = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", main]
  return { args, environment: { NODE_COMPILE_CACHE: compileCache } }
}
