import { join } from "node:path"
import type { Component } from "./component.ts"
import { downloadGoMod, goBuild } from "./go-build.ts"
import { wrapperGoMod } from "./go-mod.ts"

const modulePath = "k8s.io/kubernetes"

/** The plugin that upstream's kubectl suite calls beside kubectl; compiled with what `kubernetes` has left in Go's caches, in a minute. */
export function kubectlConvert({ version }: { version: string }): Component {
  const name = "kubectl-convert"
  return {
    name,
    version,
    compiled: true,
    source: `Go ${modulePath}@v${version}`,
    binaries: [{ name, versionArguments: ["--help"], expected: "Convert config files" }],
    async make({ directory, progress, signal }) {
      progress(`getting ${modulePath} v${version} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module: modulePath, version: `v${version}`, directory: work, signal })
      const goMod = wrapperGoMod({ module: modulePath, version, upstream })
      const mains = [{ name, package: `${modulePath}/cmd/${name}`, ldflags: "-s -w" }]
      await goBuild({ goMod, mains, work, into: join(directory, "bin"), progress, signal })
    },
  }
}
