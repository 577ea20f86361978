import { join } from "node:path"
import type { Component } from "../component.ts"
import { downloadGoMod, goBuild } from "../go-build.ts"
import { wrapperGoMod } from "../go-mod.ts"

export const kubernetesModule = "k8s.io/kubernetes"

export interface KubernetesProgramRow {
  name: string
  version: string
  /** Where it stands in the module. */
  package: string
  /** True: a package of tests, which becomes a program by `go test -c`. */
  test?: true
  /** How it says its version or, where it cannot, that it runs; and what then must be printed. */
  says: { arguments: string[]; expected: string }
}

/** One more program of Kubernetes beside the control plane, compiled with what `kubernetes` has left in Go's caches: one to six minutes. */
export function kubernetesProgram({ name, version, package: path, test, says }: KubernetesProgramRow): Component {
  return {
    name,
    version,
    compiled: true,
    source: `Go ${kubernetesModule}@v${version}`,
    binaries: [{ name, versionArguments: says.arguments, expected: says.expected }],
    async make({ directory, progress, signal }) {
      progress(`getting ${kubernetesModule} v${version} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module: kubernetesModule, version: `v${version}`, directory: work, signal })
      const goMod = wrapperGoMod({ module: kubernetesModule, version, upstream })
      const main = { name, package: `${kubernetesModule}/${path}`, ldflags: versionFlags(version), ...(test && { test }) }
      // What a package's tests import is found while they are compiled: `go mod tidy` looks at the package alone.
      await goBuild({ goMod, mains: [main], work, into: join(directory, "bin"), progress, signal, tidy: test !== true })
    },
  }
}

/** Without these every program says v0.0.0-master, and clients that compare versions misbehave. */
export function versionFlags(version: string): string {
  const [major, minor] = version.split(".")
  const values = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: "clean" }
  const stamps = Object.entries(values).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`)
  return ["-s", "-w", ...stamps].join(" ")
}
