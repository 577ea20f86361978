import { join } from "node:path"
import type { Component } from "../component.ts"
import { downloadGoMod, goBuild } from "../go-build.ts"
import { pinnedGoMod } from "../go-mod.ts"

export interface OperatorRow {
  name: string
  version: string
  module: string
  /** Where its main stands in the module. */
  package: string
  /** Programs that run beside it, by their names, and where their mains stand. They say of themselves what it says. */
  beside?: Readonly<Record<string, string>>
  /** The variable of its sources that holds its version; without one it is not stamped. */
  stamp?: string
  /** How it says its version or, where it cannot, that it runs; and what then must be printed. */
  says: { arguments: string[]; expected: string }
  /** What its go.mod asks for and a module proxy refuses, by the nearest version that it serves. */
  instead?: Readonly<Record<string, string>>
}

/** An operator written by a third party, compiled from its Go module as it was published: 2 to 6 minutes on two cores. */
export function operator({ name, version, module, package: path, beside = {}, stamp, says, instead = {} }: OperatorRow): Component {
  const programs = Object.entries({ [name]: path, ...beside })
  return {
    name,
    version,
    compiled: true,
    source: `Go ${module}@v${version}`,
    binaries: programs.map(([program]) => ({ name: program, versionArguments: says.arguments, expected: says.expected })),
    async make({ directory, progress, signal }) {
      progress(`getting ${module} v${version} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module, version: `v${version}`, directory: work, signal })
      const goMod = pinnedGoMod({ module, version: `v${version}`, upstream, instead })
      const ldflags = stamp === undefined ? "-s -w" : `-s -w -X ${stamp}=v${version}`
      const mains = programs.map(([program, at]) => ({ name: program, package: at === "" ? module : `${module}/${at}`, ldflags }))
      await goBuild({ goMod, mains, work, into: join(directory, "bin"), progress, signal, tidy: false })
    },
  }
}
