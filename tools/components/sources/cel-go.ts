import { copyFile, mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Component } from "../component.ts"
import { downloadGoMod, goBuild } from "../go-build.ts"
import { pinnedGoMod } from "../go-mod.ts"

const module = "k8s.io/apiextensions-apiserver"
const program = "cel-evaluations"

export interface CelGoRow {
  /** Of cel-go; the module of `kubernetes` must require it. */
  version: string
  kubernetes: string
}

/** A program of this project around cel-go: it compiles and evaluates what the bench of CEL gives it, in the environment of kube-apiserver. */
export function celGo({ version, kubernetes }: CelGoRow): Component {
  return {
    name: "cel-go",
    version,
    compiled: true,
    source: `Go github.com/google/cel-go@v${version} with tools/components/cel-go`,
    binaries: [{ name: program, versionArguments: ["--version"], expected: `cel-go v${version}` }],
    async make({ directory, progress, signal }) {
      progress(`getting ${module} v${kubernetes} with go`)
      const work = join(directory, "go")
      const upstream = await downloadGoMod({ module, version: `v${kubernetes}`, directory: work, signal })
      const goMod = pinnedGoMod({ module, version: `v${kubernetes}`, upstream, instead: {} })
      await mkdir(join(work, program))
      await copyFile(join(import.meta.dirname, "../cel-go/main.go"), join(work, program, "main.go"))
      const mains = [{ name: program, package: `pilothouse/components/${program}`, ldflags: "-s -w" }]
      await goBuild({ goMod, mains, work, into: join(directory, "bin"), progress, signal, tidy: false })
    },
  }
}
