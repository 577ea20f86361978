import { join } from "node:path"
import type { Component } from "../component.ts"
import { downloadGoMod, goBuild } from "../go-build.ts"
import { pinnedGoMod } from "../go-mod.ts"

const modulePath = "istio.io/istio"
const name = "pilot-discovery"

export interface IstiodRow {
  /** As the program shall say it: the release line, and the commit. */
  version: string
  /** The pseudo-version of the module: module proxies hold no tagged releases of it. */
  module: string
  /** What its go.mod asks for and a module proxy refuses, by the nearest version that it serves. Generated API types, no logic. */
  instead: Readonly<Record<string, string>>
}

/** Istio's discovery server, the peer of `pilothouse discovery` in its bench. About 4 minutes on two cores. */
export function istiod({ version, module, instead }: IstiodRow): Component {
  return {
    name: "istiod",
    version,
    compiled: true,
    source: `Go ${modulePath}@${module}`,
    binaries: [{ name, versionArguments: ["version", "--short"], expected: version }],
    async make({ directory, progress, signal }) {
      progress(`getting ${modulePath} ${module} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module: modulePath, version: module, directory: work, signal })
      const goMod = pinnedGoMod({ module: modulePath, version: module, upstream, instead })
      const mains = [
        { name, package: `${modulePath}/pilot/cmd/${name}`, ldflags: `-s -w -X ${modulePath}/pkg/version.buildVersion=${version}` },
      ]
      // No tidying: it would also look for what the tests of all modules need, some of which no proxy serves.
      await goBuild({ goMod, mains, work, into: join(directory, "bin"), progress, signal, tidy: false })
    },
  }
}
