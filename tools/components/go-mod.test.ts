import { expect, test } from "vitest"
import { pinnedGoMod, stagingModules, toolsGo, wrapperGoMod } from "./go-mod.ts"

const upstream = `// This is a generated file.
module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	github.com/JeffAshton/win_pdh v0.0.0-20161109143554-76bb4ee9f0ab
	go.etcd.io/etcd/client/v3 v3.6.8
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.140.0
	k8s.io/kubectl v0.0.0 // indirect
	k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2
)

require k8s.io/metrics v0.0.0

replace (
	k8s.io/api => ./staging/src/k8s.io/api
)
`

test("staging modules are those required as exactly v0.0.0", () => {
  expect(stagingModules(upstream)).toEqual(["k8s.io/api", "k8s.io/kubectl", "k8s.io/metrics"])
})

test("each staging module is replaced by its release, and go and godebug are taken over", () => {
  expect(wrapperGoMod({ module: "k8s.io/kubernetes", version: "1.36.3", upstream })).toBe(`module pilothouse/components
go 1.26.0
godebug default=go1.26
require k8s.io/kubernetes v1.36.3
replace k8s.io/api => k8s.io/api v0.36.3
replace k8s.io/kubectl => k8s.io/kubectl v0.36.3
replace k8s.io/metrics => k8s.io/metrics v0.36.3
`)
})

test("a go.mod without staging modules is refused, not built into something that says v0.0.0", () => {
  expect(() => wrapperGoMod({ module: "example.org/m", version: "1.2.3", upstream: "module example.org/m\n" })).toThrow("found none")
})

test("tools.go imports each main under a build tag", () => {
  expect(toolsGo(["a/b", "c"])).toBe('//go:build tools\n\npackage tools\n\nimport (\n\t_ "a/b"\n\t_ "c"\n)\n')
})

const pinned = {
  module: "example.org/server",
  version: "v0.0.0-20260827124520-eed52ebb66ad",
  upstream:
    "module example.org/server\n\ngo 1.26.0\n\nrequire (\n\texample.org/api v1.31.0-rc.0 // indirect\n\texample.org/other v1.2.3\n)\n",
}

test("modules that are not served are replaced by another version, in their line and as a replacement", () => {
  expect(pinnedGoMod({ ...pinned, instead: { "example.org/api": "v1.31.1" } })).toBe(`module pilothouse/components

go 1.26.0

require (
	example.org/api v1.31.1 // indirect
	example.org/other v1.2.3
)

require example.org/server v0.0.0-20260827124520-eed52ebb66ad
replace example.org/api => example.org/api v1.31.1
`)
})

test("another version of a module that is not asked for is refused: the table is of another release", () => {
  expect(() => pinnedGoMod({ ...pinned, instead: { "example.org/gone": "v1.0.0" } })).toThrow("expected example.org/gone in the go.mod")
})
