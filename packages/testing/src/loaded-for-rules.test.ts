import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")

/** Says how many modules of cel and of re2js are loaded: after a start, with a kind that has defaults and no rules, and with one that has a rule. */
const program = `
import { registerHooks } from "node:module"
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/packages.cel.|re2js/.test(url)) loaded++
    return next(url, context)
  },
})
const { cluster } = await import("@pilothouse/testing")
await using made = await cluster()
const said = [loaded]
const kindOf = (plural, spec) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: plural + ".example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind: plural[0].toUpperCase() + plural.slice(1, -1) },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
  },
})
const spec = { type: "object", properties: { size: { type: "integer", default: 2 } }, default: {} }
await made.apply(kindOf("plains", spec))
await made.apply({ apiVersion: "example.com/v1", kind: "Plain", metadata: { name: "a", namespace: "default" }, spec: { size: 3 } })
said.push(loaded)
await made.apply(kindOf("judgeds", { type: "object", properties: { size: { type: "integer" } }, "x-kubernetes-validations": [{ rule: "self.size > 2" }] }))
await made.apply({ apiVersion: "example.com/v1", kind: "Judged", metadata: { name: "a", namespace: "default" }, spec: { size: 3 } })
console.log(JSON.stringify([...said, loaded > 0]))
`

test("a cluster without rules does not load the Common Expression Language", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: "[0,0,true]\n", stderr: "" })
})
