import { join } from "node:path"
import type { Binary, Component } from "../component.ts"
import { downloadGoMod, type GoMain, goBuild } from "../go-build.ts"
import { wrapperGoMod } from "../go-mod.ts"
import { kubernetesModule as modulePath, versionFlags } from "./kubernetes-program.ts"

const commands = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"]

/**
 * The real control plane and the etcd it was released with, compiled from Go modules: the registries hold no such binaries.
 * About 6 minutes on two cores the first time; Go's own caches then take about 4.5 GB.
 */
export function kubernetes({ version, etcd }: { version: string; etcd: string }): Component {
  return {
    name: "kubernetes",
    version,
    compiled: true,
    source: `Go ${modulePath}@v${version}`,
    binaries: binaries(version, etcd),
    async make({ directory, progress, signal }) {
      progress(`getting ${modulePath} v${version} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module: modulePath, version: `v${version}`, directory: work, signal })
      const goMod = wrapperGoMod({ module: modulePath, version, upstream })
      await goBuild({ goMod, mains: mains(version), work, into: join(directory, "bin"), progress, signal })
    },
  }
}

function binaries(version: string, etcd: string): Binary[] {
  const versioned = commands.map((name) => ({
    name,
    versionArguments: name === "kubectl" ? ["version", "--client"] : ["--version"],
    expected: `v${version}`,
  }))
  return [...versioned, { name: "etcd", versionArguments: ["--version"], expected: etcd }]
}

function mains(version: string): GoMain[] {
  const ldflags = versionFlags(version)
  const kubernetesMains = commands.map((name) => ({ name, package: `${modulePath}/cmd/${name}`, ldflags }))
  // The root of etcd's server module is its main; the version is the one that Kubernetes' go.mod asks for.
  return [...kubernetesMains, { name: "etcd", package: "go.etcd.io/etcd/server/v3", ldflags: "-s -w" }]
}
